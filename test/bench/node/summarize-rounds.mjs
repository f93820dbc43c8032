import { median } from '../statistics.mjs'

/** Figures of which the worst round counts: one lost event is a loss. */
const WORST = {
  delivered: Math.min,
  accounted: Math.min,
  deliveredBefore: Math.min,
  deliveredTwice: Math.max,
  peakBytes: Math.max,
}

/**
 * Combines the rounds of one row: the median of each figure, and the worst value of some.
 *
 * @param {readonly Record<string, number | undefined>[]} rounds
 */
export const summarizeRounds = (rounds) => {
  const keys = [...new Set(rounds.flatMap((round) => Object.keys(round)))]
  return Object.fromEntries(
    keys.flatMap((key) => {
      const values = rounds.map((round) => round[key]).filter((value) => value !== undefined)
      return values.length ? [[key, roundDigits(WORST[key]?.(...values) ?? median(values))]] : []
    }),
  )
}

const roundDigits = (value) => Number(value.toPrecision(6))
