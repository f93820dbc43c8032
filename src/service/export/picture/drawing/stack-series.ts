/**
 * The edges of series on top of each other: for each series the sums of its values and of those before it. Values below zero are summed for
 * themselves. A missing value adds nothing.
 */
export const stackSeries = (series: readonly (readonly (number | null)[])[]): readonly (readonly number[])[] => {
  const above: number[] = []
  const below: number[] = []
  return series.map((values) =>
    values.map((value, index) => {
      const sums = value !== null && value < 0 ? below : above
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index]
    }),
  )
}
