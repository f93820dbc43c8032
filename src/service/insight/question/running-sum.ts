import { roundSum } from './round-sum.ts'

/** Adds numbers one after the other, without the errors of binary fractions (`roundSum`). */
export interface RunningSum {
  /** The sum with this number. */
  readonly add: (number: number) => number
}

/** The errors of each addition are summed as well (Neumaier), so that they do not grow with the count of the numbers. */
export const createRunningSum = (): RunningSum => {
  let sum = 0
  let error = 0
  let magnitude = 0
  return {
    add(number) {
      const next = sum + number
      error += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum
      sum = next
      magnitude += Math.abs(number)
      return Number.isFinite(sum) ? roundSum(sum + error, magnitude) : sum
    },
  }
}
