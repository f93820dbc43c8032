import type { TrendAnswer, TrendGroup, TrendGroupsAnswer, TrendQuestion } from '../../../insight/question/trend.ts'
import { roundSum } from '../../../insight/question/round-sum.ts'
import type { Rows } from './select.ts'

/** A sum of stored numbers and what it is rounded by (`roundSum`), or any other number without that. */
const readNumber = (number: unknown, magnitude: unknown, isStored: boolean): number => {
  if (number === null) return 0
  if (isStored) return Number(number)
  return roundSum(Number(number), magnitude === null || magnitude === undefined ? undefined : Number(magnitude))
}

/**
 * Reads the answer from rows of group, period and number, and the magnitude of the number if it was summed (`roundSum`). The group is the
 * index of its values, null for the others.
 */
export const readTrend = ({ breakdown, periods, isTotal, measure }: TrendQuestion, rows: Rows): TrendAnswer => {
  const isStored = 'aggregate' in measure && (measure.aggregate === 'min' || measure.aggregate === 'max')
  const length = isTotal ? 1 : periods.starts.length
  const createGroup = (values: TrendGroup['values']) => ({
    values,
    numbers: Array.from({ length }, () => 0),
    hasRows: false,
  })
  const named = (breakdown?.groups ?? [[]]).map(createGroup)
  const others = createGroup('others')
  for (const [place, period, number, magnitude] of rows) {
    const group = place === null ? others : named[Number(place)]!
    group.numbers[Number(period)] = readNumber(number, magnitude, isStored)
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
