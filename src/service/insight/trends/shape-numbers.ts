/** Replaces each number by the average of `count` numbers: its own and those before it, as many as there are. */
export const smooth = (numbers: readonly number[], count: number): readonly number[] => {
  if (count === 1) return numbers
  let sum = 0
  return numbers.map((number, index) => {
    sum += number - (index >= count ? numbers[index - count]! : 0)
    return sum / Math.min(index + 1, count)
  })
}

/** Replaces each number by the sum of all up to it. */
export const accumulate = (numbers: readonly number[]): readonly number[] => {
  let sum = 0
  return numbers.map((number) => (sum += number))
}
