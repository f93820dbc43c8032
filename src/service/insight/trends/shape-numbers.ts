import { roundSum } from '../question/round-sum.ts'
import { createRunningSum } from '../question/running-sum.ts'

/** Replaces each number by the average of `count` numbers: its own and those before it, as many as there are. */
export const smooth = (numbers: readonly number[], count: number): readonly number[] => {
  if (count === 1) return numbers
  const { add } = createRunningSum()
  return numbers.map((number, index) => {
    if (index >= count) add(-numbers[index - count]!)
    return roundSum(add(number) / Math.min(index + 1, count))
  })
}

/** Replaces each number by the sum of all up to it. */
export const accumulate = (numbers: readonly number[]): readonly number[] => {
  const { add } = createRunningSum()
  return numbers.map(add)
}
