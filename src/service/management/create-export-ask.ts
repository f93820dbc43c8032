import { ExportError } from '../export/export-error.ts'
import type { AskQuery } from '../export/table/query-table.ts'
import { retryWhileBusy } from '../export/retry-while-busy.ts'
import type { SqlLines } from '../insight/question/questions.ts'
import type { Queries } from '../query/queries.ts'
import type { QueryWork } from '../query/query-work.ts'
import type { Export } from '../store/metadata/exports.ts'
import { createQueryWork } from './create-query-work.ts'
import type { QueryWorkOptions } from './create-query-work.ts'
import { parseQuery } from './parse-query-body.ts'

/** Dependencies of `createExportAsk`. */
export interface ExportAskOptions extends Omit<QueryWorkOptions, 'maxRows'> {
  readonly queries: Queries
}

/** The functions that ask the queries of one export, again while the service is busy. */
export interface ExportAsk {
  /** With the first rows of SQL, for pictures. */
  readonly ask: AskQuery
  /** With all rows of SQL. Rejects with `ExportError` for too many. */
  readonly askForAll: AskQuery
}

/** Rows of SQL that a picture may show; it has space for fewer. */
const MAX_SHOWN_ROWS = 500

/** Rows of the answer to SQL; its bytes have a bound, too (`MAX_RESULT_BYTES` in the store). */
const MAX_ROWS = 1_000_000

const createLinesWork = (sql: string): QueryWork<SqlLines> => ({
  text: sql,
  answer: (ask) => ask('queryLines', { sql, maxRows: MAX_ROWS }),
})

/** All queries of an export have the same time as now, so that the pages of a list belong together. */
export const createExportAsk =
  ({ queries, now, ...options }: ExportAskOptions) =>
  ({ projectId }: Pick<Export, 'projectId'>, signal: AbortSignal): ExportAsk => {
    const startTime = now()
    const workOptions = { ...options, now: () => startTime, maxRows: MAX_SHOWN_ROWS }
    const run = <Answer extends object>(work: QueryWork<Answer>): Promise<Answer> =>
      retryWhileBusy(async () => (await queries.run({ projectId, work, id: null, name: 'Export' }, signal)).answer, {
        signal,
      })
    const ask: AskQuery = async (query) =>
      run(await createQueryWork(parseQuery(query, options.syntax), projectId, false, workOptions))
    return {
      ask,
      askForAll: async (query) => {
        const asked = parseQuery(query, options.syntax)
        if (asked.kind !== 'sql') return ask(query)
        const answer = await run(createLinesWork(asked.sql))
        if (answer.hasMore) throw new ExportError('An export of SQL may have at most 1,000,000 rows. Add a LIMIT.')
        return answer
      },
    }
  }
