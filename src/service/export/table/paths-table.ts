import type { ResultTable } from '../../../wire/result/result-table.ts'
import type { PathResult } from '../../insight/paths/answer-paths.ts'

/** A line for each step from one item to the next. */
export const pathsTable = (results: readonly PathResult[]): ResultTable => ({
  columns: ['source', 'target', 'count', 'average_milliseconds'],
  results: results.map(({ source, target, value, average_conversion_time: time }) => [source, target, value, time]),
})
