import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { findPeriod } from '../query/find-period.ts'
import type { LifecyclePoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { InsightActorsQuery } from '../schema/actors-query.ts'
import type { LifecycleQuery } from '../schema/lifecycle-query.ts'
import { createLifecycleQuestion } from './answer-lifecycle.ts'

/** Finds the point of a status in a period. Throws `FilterError`; rejects with `QueryError`. */
export const findLifecyclePoint = async (
  query: LifecycleQuery,
  { day, status }: InsightActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<LifecyclePoint> => {
  if (!status) throw new FilterError('query.source.status', 'is missing: a lifecycle has a point for each status')
  if (day === undefined || day === null)
    throw new FilterError('query.source.day', 'is missing: a lifecycle has a point for each of its "days"')
  const { question } = await createLifecycleQuestion(query, context, ask)
  // The first period is not in the answer.
  const shown = { starts: question.periods.starts.slice(1), end: question.periods.end }
  const period = findPeriod(day, shown, query.interval ?? 'day', context) + 1
  return { kind: 'lifecycle', question, period, status }
}
