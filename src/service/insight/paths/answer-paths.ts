import type { FilterContext } from '../filter/filter-context.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { readRange } from '../query/range.ts'
import type { PathsQuestion } from '../question/paths.ts'
import type { Ask } from '../question/questions.ts'
import type { PathsQuery } from '../schema/paths-query.ts'
import { chooseDates } from './choose-dates.ts'
import { parseFunnelPaths } from './parse-funnel-paths.ts'
import { parsePathsFilter } from './parse-paths-filter.ts'
import { toStepNames } from './step-name.ts'

/** An edge, as clients of the protocol read it. */
export interface PathResult {
  /** Place and item: `1_/home`. */
  readonly source: string
  readonly target: string
  /** Paths that take it. */
  readonly value: number
  /** Milliseconds. */
  readonly average_conversion_time: number
}

/** Answers a query of paths. Throws `FilterError`; rejects with `QueryError`. */
export const answerPathsQuery = async (
  query: PathsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly PathResult[]> => {
  const { edges } = await ask('paths', await createPathsQuestion(query, context, ask))
  return edges.map((edge) => {
    const { source, target } = toStepNames(edge)
    return { source, target, value: edge.count, average_conversion_time: edge.averageMs }
  })
}

/** Throws `FilterError`; rejects with `QueryError`. */
export const createPathsQuestion = async (
  query: PathsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<PathsQuestion> => {
  const rules = parsePathsFilter(query)
  const events = toSelection(parseQueryFilters(query, context), context)
  const actor = parseActor(query, context)
  const dates = chooseDates(query.dateRange, query.funnelPathsFilter?.funnelSource.dateRange)
  const range = await readRange(dates, 'day', context, ask)
  const around = await parseFunnelPaths(query, context, ask)
  return { ...rules, events, actor: around?.question.actor ?? actor, range, around }
}
