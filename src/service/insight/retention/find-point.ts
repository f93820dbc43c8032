import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { RetentionPoint } from '../question/actors.ts'
import type { InsightActorsQuery } from '../schema/actors-query.ts'
import type { RetentionQuery } from '../schema/retention-query.ts'
import { createRetentionQuestion } from './answer-retention.ts'

/** Finds the point of a cohort. Throws `FilterError`. */
export const findRetentionPoint = (
  query: RetentionQuery,
  { interval }: InsightActorsQuery,
  context: FilterContext,
): RetentionPoint => {
  const question = { ...createRetentionQuestion(query, context), breakdown: null }
  const count = question.periods.starts.length
  if (interval === undefined || interval === null)
    throw new FilterError('query.source.interval', 'is missing: it is the index of a result of the insight')
  if (interval >= count)
    throw new FilterError('query.source.interval', `must be less than ${count}, the number of results`)
  return { kind: 'retention', question, period: interval }
}
