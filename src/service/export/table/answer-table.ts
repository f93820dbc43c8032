import type { JsonObject } from '../../../wire/json.ts'
import type { ResultTable } from '../../../wire/result/result-table.ts'
import type { SqlLines } from '../../insight/question/questions.ts'
import type { PathResult } from '../../insight/paths/answer-paths.ts'
import { funnelTable } from './funnel-table.ts'
import { retentionTable } from './retention-table.ts'
import { seriesTable } from './series-table.ts'

/** A line for each step from one item to the next. */
const pathsTable = (results: readonly PathResult[]): ResultTable => ({
  columns: ['source', 'target', 'count', 'average_milliseconds'],
  results: results.map(({ source, target, value, average_conversion_time: time }) => [source, target, value, time]),
})

/** Makes a table of the results of one kind of query. */
type ToTable = (results: never) => ResultTable

/** By the kind of the query. */
const TABLES: ReadonlyMap<unknown, ToTable> = new Map<unknown, ToTable>([
  ['TrendsQuery', seriesTable],
  ['StickinessQuery', seriesTable],
  ['LifecycleQuery', seriesTable],
  ['FunnelsQuery', funnelTable],
  ['RetentionQuery', retentionTable],
  ['PathsQuery', pathsTable],
])

/** The answer to a query: rows with their columns, rows as lines of JSON, or the results of an insight. */
export type Answer = ResultTable | LinesAnswer | { readonly results: unknown }

/** The answer to SQL. */
export type LinesAnswer = Pick<SqlLines, 'columns' | 'lines'>

/**
 * The answer to a query of an insight as a table.
 *
 * @param query Without the nodes that only show its answer.
 */
export const toAnswerTable = ({ kind }: JsonObject, answer: Exclude<Answer, LinesAnswer>): ResultTable => {
  if ('columns' in answer) return answer
  const toTable = TABLES.get(kind)
  if (toTable === undefined) throw new Error(`The answer to ${JSON.stringify(kind)} has no form as a table.`)
  return toTable(answer.results as never)
}
