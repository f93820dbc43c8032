import { median } from '../statistics.mjs'

/** Of these the worst round counts: a loss in one round is a loss. */
const WORST = {
  delivered: Math.min,
  accounted: Math.min,
  deliveredBefore: Math.min,
  deliveredTwice: Math.max,
  peakBytes: Math.max,
}

/**
 * The rounds of one row as one result: the median of each figure, of some the worst.
 *
 * @param {readonly Record<string, number | undefined>[]} rounds
 */
export const summaryOf = (rounds) => {
  const keys = [...new Set(rounds.flatMap((round) => Object.keys(round)))]
  return Object.fromEntries(
    keys.flatMap((key) => {
      const values = rounds.map((round) => round[key]).filter((value) => value !== undefined)
      return values.length ? [[key, rounded(WORST[key]?.(...values) ?? median(values))]] : []
    }),
  )
}

const rounded = (value) => Number(value.toPrecision(6))
