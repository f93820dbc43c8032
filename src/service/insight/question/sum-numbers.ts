import { createRunningSum } from './running-sum.ts'

/** The sum of numbers, without the errors of binary fractions (`roundSum`). */
export const sumNumbers = (numbers: readonly number[]): number => {
  const { add } = createRunningSum()
  let sum = 0
  for (const number of numbers) sum = add(number)
  return sum
}
