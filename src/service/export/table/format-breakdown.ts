import type { BreakdownValue } from '../../insight/query/divide.ts'

/** The value of a group in one cell; null without one. A breakdown by several properties has a list. */
export const formatBreakdown = (value: BreakdownValue): string | number | null =>
  typeof value === 'object' ? value.join(', ') : (value ?? null)
