import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { createFunnelQuestion } from '../funnel/answer-funnels.ts'
import { findSteps } from '../funnel/find-point.ts'
import type { FunnelPaths, FunnelPathsPart } from '../question/paths.ts'
import type { Ask } from '../question/questions.ts'
import { chooseDates } from './choose-dates.ts'
import type { FUNNEL_PATH_TYPES, PathsQuery } from '../schema/paths-query.ts'

const PATH = 'query.funnelPathsFilter'

const PARTS: Readonly<Record<(typeof FUNNEL_PATH_TYPES)[number], FunnelPathsPart>> = {
  funnel_path_before_step: 'before',
  funnel_path_between_steps: 'between',
  funnel_path_after_step: 'after',
}

/** The funnel that the paths of a query are around; null for none. Throws `FilterError`; rejects with `QueryError`. */
export const parseFunnelPaths = async (
  { funnelPathsFilter: filter, aggregation_group_type_index: groupIndex, dateRange }: PathsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<FunnelPaths | null> => {
  if (!filter) return null
  const { funnelSource, funnelPathType, funnelStep } = filter
  if ((groupIndex ?? null) !== null && groupIndex !== funnelSource.aggregation_group_type_index)
    throw new FilterError('query.aggregation_group_type_index', 'must be missing or that of "funnelSource"')
  const part = PARTS[funnelPathType]
  const funnel = { ...funnelSource, dateRange: chooseDates(funnelSource.dateRange, dateRange) }
  const { question, events } = await createFunnelQuestion(funnel, context, ask).catch(moveInside)
  const step = funnelStep ?? question.steps.length
  if (part === 'between' && step < 2)
    throw new FilterError(`${PATH}.funnelStep`, 'must be at least 2 for paths between two steps')
  const point = findSteps(step, question, `${PATH}.funnelStep`)
  return { part, question: { ...question, events, breakdown: null }, ...point }
}

/** The errors of the funnel have its paths as if it were the query. */
const moveInside = (error: unknown): never => {
  if (!(error instanceof FilterError)) throw error
  const { path, message } = error
  throw new FilterError(path.replace(/^query\b/, `${PATH}.funnelSource`), message.slice(path.length + 1))
}
