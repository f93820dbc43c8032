import type { Unit } from '../chart.ts'

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const fine = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 })
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Above it the separated digits are hard to read, and not exact. */
const MAX_WRITTEN_OUT = 1e15

/** A number with separators of thousands: `1,234.5`. */
export const formatNumber = (value: number): string => {
  const size = Math.abs(value)
  if (size >= MAX_WRITTEN_OUT) return value.toExponential(2)
  return size !== 0 && size < 0.01 ? fine.format(value) : plain.format(value)
}

/** A number of an axis; from a million on it is short: `1.5M`. */
export const formatTick = (value: number, unit: Unit): string => {
  if (unit === 'percent') return formatPercent(value)
  const size = Math.abs(value)
  return size >= 1e6 && size < MAX_WRITTEN_OUT ? short.format(value) : formatNumber(value)
}

/** @param value 50 for a half. */
export const formatPercent = (value: number): string => `${percent.format(value)}%`

/** The percentage of a part; nothing has no parts. */
export const formatShare = (part: number, whole: number): string =>
  formatPercent(whole === 0 ? 0 : (part / whole) * 100)
