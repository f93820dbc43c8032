import type { TrendAnswer, TrendGroup, TrendGroupsAnswer, TrendQuestion } from '../../../insight/question/trend.ts'
import type { Rows } from './select.ts'

/** Reads the answer from rows of group, period and number. The group is the index of its values, null for the others. */
export const readTrend = ({ breakdown, periods, isTotal }: TrendQuestion, rows: Rows): TrendAnswer => {
  const length = isTotal ? 1 : periods.starts.length
  const createGroup = (values: TrendGroup['values']) => ({
    values,
    numbers: Array.from({ length }, () => 0),
    hasRows: false,
  })
  const named = (breakdown?.groups ?? [[]]).map(createGroup)
  const others = createGroup('others')
  for (const [place, period, number] of rows) {
    const group = place === null ? others : named[Number(place)]!
    group.numbers[Number(period)] = number === null ? 0 : Number(number)
    group.hasRows = true
  }
  // Without a breakdown there is one group, even if nothing is in it.
  const groups = [...named, others].filter(({ hasRows }, index) => hasRows || (breakdown === null && index === 0))
  return { groups: groups.map(({ values, numbers }): TrendGroup => ({ values, numbers })) }
}

/** Reads the groups from rows of their values, in their order. */
export const readTrendGroups = (rows: Rows): TrendGroupsAnswer => ({
  groups: rows.map((values) => values.map((value) => (typeof value === 'string' ? value : null))),
})
