/** A point of a line: its place among all values, and its value; null where there is none. */
export type Point = readonly [index: number, value: number | null]

/**
 * Leaves out points that cannot be seen. The values are evenly spaced over a width of pixels; in each column of pixels the first and
 * the last value stay, the lowest and the highest, and the first and the last gap. So each column is drawn from its minimum to its maximum
 * as before.
 *
 * @param columns Width of the drawing in pixels.
 */
export const thinPoints = (values: readonly (number | null)[], columns: number): readonly Point[] => {
  // With up to six points per column, thinning saves nothing.
  if (values.length <= columns * 6) return values.map((value, index) => [index, value])
  const points: Point[] = []
  const perColumn = values.length / columns
  for (let column = 0; column < columns; column += 1) {
    const start = Math.floor(column * perColumn)
    const end = column === columns - 1 ? values.length : Math.floor((column + 1) * perColumn)
    for (const index of keepInColumn(values, start, end)) points.push([index, values[index]!])
  }
  return points
}

/** The indexes that stay of those from `start` to before `end`, in order. */
const keepInColumn = (values: readonly (number | null)[], start: number, end: number): readonly number[] => {
  let first = -1
  let last = -1
  let lowest = -1
  let highest = -1
  let firstGap = -1
  let lastGap = -1
  for (let index = start; index < end; index += 1) {
    const value = values[index] ?? null
    if (value === null) {
      if (firstGap === -1) firstGap = index
      lastGap = index
      continue
    }
    if (first === -1) {
      first = index
      lowest = index
      highest = index
    }
    last = index
    if (value < values[lowest]!) lowest = index
    if (value > values[highest]!) highest = index
  }
  const kept = new Set([first, last, lowest, highest, firstGap, lastGap])
  kept.delete(-1)
  return [...kept].toSorted((a, b) => a - b)
}
