/**
 * Divides the range of numbers into bins of the same width. Bounds between the ends are rounded where it makes no difference to people:
 * `0.3` and not `0.30000000000000004`.
 *
 * @returns The bounds of the bins, rising: one more than there are bins. Numbers that are all the same have one bin from and to them.
 */
export const divideRange = ({ least, greatest }: NumberRange, count: number): readonly number[] => {
  if (least === greatest) return [least, greatest]
  const width = greatest / count - least / count
  const bounds = [least]
  for (let index = 1; index < count; index++) {
    const share = index / count
    const bound = least * (1 - share) + greatest * share
    const rounded = Number(bound.toPrecision(12))
    const nearest = Math.abs(rounded - bound) < width / 1000 ? rounded : bound
    // Numbers that are very close to each other have few others between them, or none.
    if (nearest > bounds.at(-1)! && nearest < greatest) bounds.push(nearest)
  }
  return [...bounds, greatest]
}

/** The least and the greatest of some numbers. */
export interface NumberRange {
  readonly least: number
  readonly greatest: number
}

/** The names of bins, as JSON of their bounds: `[0,10]`. The end of the last bin is in it, those of the others are in the next one. */
export const nameBins = (bounds: readonly number[]): readonly string[] =>
  bounds.slice(1).map((to, index) => JSON.stringify([bounds[index], to]))

/** The bounds that a bin is named by; null for a string that names no bin. */
export const parseBinName = (name: string): readonly [from: number, to: number] | null => {
  const [, from, to] = /^\[([^,\s]+),([^,\s]+)\]$/.exec(name) ?? []
  if (from === undefined || to === undefined || !NUMBER.test(from) || !NUMBER.test(to)) return null
  const bounds = [Number(from), Number(to)] as const
  return bounds[0] <= bounds[1] ? bounds : null
}

/** A number as JSON has it, which `Number` reads. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** The bounds of three bins, the second of which has all numbers from `from` to `to`. */
export const boundsAround = (from: number, to: number, isEndIncluded: boolean): readonly number[] => [
  -Infinity,
  from,
  isEndIncluded ? nextNumber(to) : to,
  Infinity,
]

/** The least number that is greater; Infinity for the greatest one. */
const nextNumber = (number: number): number => {
  if (number === 0) return Number.MIN_VALUE
  const numbers = new Float64Array([number])
  const bits = new BigInt64Array(numbers.buffer)
  bits[0]! += number > 0 ? 1n : -1n
  return numbers[0]!
}
