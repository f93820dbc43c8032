import type { AskQuery } from '../export/table/query-table.ts'
import type { Queries } from '../query/queries.ts'
import type { Export } from '../store/metadata/exports.ts'
import { createQueryWork } from './create-query-work.ts'
import type { QueryWorkOptions } from './create-query-work.ts'
import { parseQuery } from './parse-query-body.ts'
import { QueryError } from '../indexer/query-error.ts'

/** Dependencies of `createExportAsk`. */
export interface ExportAskOptions extends Omit<QueryWorkOptions, 'maxRows'> {
  readonly queries: Queries
}

/** Rows of the answer to SQL; its bytes are bounded too (`MAX_RESULT_BYTES` in the store). */
const MAX_ROWS = 1_000_000

/** Creates the function that asks the queries of an export. All of them have the same time as now, so that pages of a list belong together. */
export const createExportAsk =
  ({ queries, now, ...options }: ExportAskOptions) =>
  ({ projectId }: Pick<Export, 'projectId'>, signal: AbortSignal): AskQuery => {
    const startTime = now()
    return async (query) => {
      const asked = parseQuery(query)
      const work = await createQueryWork(asked, projectId, false, {
        ...options,
        now: () => startTime,
        maxRows: MAX_ROWS,
      })
      const { answer } = await queries.run({ projectId, work, id: null, name: 'Export' }, signal)
      if (asked.kind === 'sql' && 'hasMore' in answer && answer.hasMore)
        throw new QueryError('memory', `The query has more than ${MAX_ROWS} rows, which is most for an export.`)
      return answer
    }
  }
