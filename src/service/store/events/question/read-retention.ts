import type { RetentionAnswer, RetentionGroup, RetentionQuestion } from '../../../insight/question/retention.ts'
import type { Rows } from './select.ts'

/**
 * Reads the answer from rows of the group's place, the period of the cohort, a period, the number of actors, and the values of the
 * group. The place is null for the others.
 */
export const readRetention = ({ breakdown, periods }: RetentionQuestion, rows: Rows): RetentionAnswer => {
  const createGroup = (values: RetentionGroup['values']) => ({
    values,
    cohorts: periods.starts.map((_, start) => periods.starts.slice(start).map(() => 0)),
  })
  const groups = breakdown === null ? [createGroup([])] : []
  const others = createGroup('others')
  let hasOthers = false
  for (const [place, start, period, actors, ...values] of rows) {
    if (place === null) hasOthers = true
    const group = place === null ? others : (groups[Number(place)] ??= createGroup(values as (string | null)[]))
    group.cohorts[Number(start)]![Number(period) - Number(start)] = Number(actors)
  }
  return { groups: hasOthers ? [...groups, others] : groups }
}
