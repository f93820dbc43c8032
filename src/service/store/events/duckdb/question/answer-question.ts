import type { QueryResult } from '../../../../indexer/query-result.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { FilterError } from '../../../../insight/filter/filter-error.ts'
import type {
  AnswerOf,
  AskLimits,
  QuestionName,
  QuestionOf,
  SqlLines,
  SqlQuestion,
} from '../../../../insight/question/questions.ts'
import type { SelectOptions } from '../query/prepare-select.ts'
import type { RowReader } from '../query/scan-rows.ts'
import type { Rows, Select } from '../../question/select.ts'
import type { Scan } from './select.ts'
import { answerActors } from '../../question/actors.ts'
import { answerEarliestTime } from '../../question/earliest-time.ts'
import { answerEvents } from '../../question/events.ts'
import { duckDbEngine } from './duckdb-engine.ts'
import { answerFunnel, findFunnelActors } from './funnel.ts'
import { answerEventNames, answerPropertyNames } from './names.ts'
import { answerNumberRange } from '../../question/number-range.ts'
import { answerLifecycle } from '../../question/lifecycle.ts'
import { answerRetention, writeRetentionActors } from './retention.ts'
import { answerStickiness } from '../../question/stickiness.ts'
import { answerPaths, findPathActors } from './paths.ts'
import { canUseCounts, writeCountedTrend } from './counted-trend.ts'
import { answerTrend } from './trend.ts'
import { readTrend } from '../../question/read-trend.ts'
import { answerTrendGroups } from '../../question/trend-groups.ts'

/** Most rows of a SELECT that answers a question: as many as a trend of 26 groups in 10,000 periods has. */
const MAX_ROWS = 260_000

/**
 * Longest SELECT that answers a question (512 KiB), whose conditions have a bound of their own: those of members must be shorter because
 * their nesting has no other bound.
 */
const MAX_OWN_BYTES = 512 * 1024

/** Runs SELECTs, one at a time. Rejects with `QueryError`. */
export interface SqlRunner {
  /** How many rows are counted (`selectEventCounts`). */
  readonly countedRows: number
  /** `runQuery` */
  readonly run: (sql: SqlQuestion & SelectOptions & AskLimits) => Promise<QueryResult>
  /** `scanRows` */
  readonly scan: <Result>(
    sql: { readonly sql: string } & SelectOptions & AskLimits,
    reader: RowReader<Result>,
  ) => Promise<Result>
}

/** How the SELECTs of one answer run. Together they have the time that the question has. */
interface AnswerParts {
  readonly run: (sql: SqlQuestion) => Promise<QueryResult>
  readonly select: Select
  /** Runs a SELECT of tables of the schema `internal`. */
  readonly selectInternal: Select
  readonly scan: Scan
  readonly countedRows: number
}

/** The rows of a result as lines of JSON. */
const toSqlLines = ({ rows, ...result }: QueryResult): SqlLines => ({
  ...result,
  lines: new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
})

const countEvents = async ({ range }: QuestionOf<'countEvents'>, select: Select): Promise<number> => {
  const where = duckDbEngine.dateRange(range)
  const [[count = 0] = []] = await select(`SELECT count(*) FROM internal.events AS events WHERE ${where}`)
  return Number(count)
}

const ANSWERS: {
  readonly [Name in QuestionName]: (question: QuestionOf<Name>, parts: AnswerParts) => Promise<AnswerOf<Name>>
} = {
  query: ({ sql, maxRows }, { run }) => run({ sql, maxRows }),
  queryLines: async ({ sql, maxRows }, { run }) => toSqlLines(await run({ sql, maxRows })),
  earliestTime: (question, { select }) => answerEarliestTime(question, select, duckDbEngine),
  countEvents: (question, { selectInternal }) => countEvents(question, selectInternal),
  eventNames: (_question, { select }) => answerEventNames(select),
  propertyNames: ({ owner }, { select }) => answerPropertyNames(owner, select),
  numberRange: (question, { select }) => answerNumberRange(question, select, duckDbEngine),
  trendGroups: (question, { select }) => answerTrendGroups(question, select, duckDbEngine),
  trend: async (question, { select, selectInternal, countedRows }) => {
    if (!canUseCounts(question)) return answerTrend(question, select)
    const { sql, parameters } = writeCountedTrend(question, countedRows)
    return readTrend(question, await selectInternal(sql, parameters))
  },
  actors: (question, { select, scan }) =>
    answerActors(question, select, duckDbEngine, {
      retention: writeRetentionActors,
      funnel: (point) => findFunnelActors(point, scan),
      paths: (point) => findPathActors(point, scan),
    }),
  events: (question, { select }) => answerEvents(question, select, duckDbEngine),
  paths: (question, { scan }) => answerPaths(question, scan),
  funnel: (question, { scan }) => answerFunnel(question, scan),
  retention: (question, { select }) => answerRetention(question, select),
  stickiness: (question, { select }) => answerStickiness(question, select, duckDbEngine),
  lifecycle: (question, { select }) => answerLifecycle(question, select, duckDbEngine),
}

/** Answers a question with SELECTs. Rejects with `QueryError`. */
export const answerQuestion = async <Name extends QuestionName>(
  name: Name,
  question: QuestionOf<Name> & AskLimits,
  runner: SqlRunner,
): Promise<AnswerOf<Name>> => {
  const deadline = performance.now() + question.timeoutMs
  const limits = (): AskLimits => ({ timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())) })
  const own = (parameters: SelectOptions['parameters'] = {}): SelectOptions => ({
    parameters,
    maxSqlBytes: MAX_OWN_BYTES,
    hasPersonNumbers: true,
  })
  const run: AnswerParts['run'] = (sql) => runner.run({ ...sql, ...limits() })
  const scan: Scan = (sql, reader, parameters) => runner.scan({ sql, ...own(parameters), ...limits() }, reader)
  const selectWith = async (sql: string, options: SelectOptions): Promise<Rows> => {
    const { rows, hasMore } = await runner.run({ sql, maxRows: MAX_ROWS, ...options, ...limits() })
    if (hasMore)
      throw new QueryError('memory', `The answer has more than ${MAX_ROWS} rows. Ask for fewer periods or groups.`)
    return rows
  }
  const select: Select = (sql, parameters) => selectWith(sql, own(parameters))
  const selectInternal: Select = (sql, parameters) => selectWith(sql, { ...own(parameters), isInternal: true })
  const { countedRows } = runner
  try {
    return await ANSWERS[name](question, { run, select, selectInternal, scan, countedRows })
  } catch (error) {
    throw error instanceof FilterError ? new QueryError('invalid', `${error.message}.`, { cause: error }) : error
  }
}
