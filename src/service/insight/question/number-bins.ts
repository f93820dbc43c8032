/**
 * Divides the range of numbers into bins of the same width. Bounds between the ends are rounded where it makes no difference to people:
 * `0.3` and not `0.30000000000000004`.
 *
 * @returns The bounds of the bins, rising: one more than there are bins. Numbers that are all the same have one bin from and to them.
 */
export const divideRange = ({ least, greatest }: NumberRange, count: number): readonly number[] => {
  if (least === greatest) return [least, greatest]
  const width = greatest / count - least / count
  const bounds = Array.from({ length: count - 1 }, (_, index) => {
    const share = (index + 1) / count
    const bound = least * (1 - share) + greatest * share
    const rounded = Number(bound.toPrecision(12))
    return Math.abs(rounded - bound) < width / 1000 ? rounded : bound
  })
  // Numbers that are very close to each other have no others between them.
  return [...new Set([least, ...bounds, greatest])]
}

/** The least and the greatest of some numbers. */
export interface NumberRange {
  readonly least: number
  readonly greatest: number
}

/** The names of bins, as JSON of their bounds: `[0,10]`. The end of the last bin is in it, those of the others are in the next one. */
export const nameBins = (bounds: readonly number[]): readonly string[] =>
  bounds.slice(1).map((to, index) => JSON.stringify([bounds[index], to]))
