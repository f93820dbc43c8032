/** A set of code points. A membership test takes logarithmic time in the number of ranges. */
export interface CharSet {
  /** Sorted ranges that do not touch, bounds inclusive: low, high, low, high… */
  readonly bounds: readonly number[]
  /** Members beyond ASCII by class: the bits of `unicodeClassesOf`, and shifted by three the complements of those classes. */
  readonly nonAsciiClasses: number
  /** True when the set contains all code points except these. */
  readonly isNegated: boolean
}

const createSet = (bounds: readonly number[], nonAsciiClasses = 0): CharSet => ({
  bounds,
  nonAsciiClasses,
  isNegated: false,
})

const DIGIT = 1
const WORD = 2
const SPACE = 4

/** Character classes by the letter after the backslash. */
export const CLASSES: Readonly<Record<string, CharSet>> = {
  d: createSet([48, 57], DIGIT),
  D: createSet([0, 47, 58, 127], DIGIT << 3),
  w: createSet([48, 57, 65, 90, 95, 95, 97, 122], WORD),
  W: createSet([0, 47, 58, 64, 91, 94, 96, 96, 123, 127], WORD << 3),
  s: createSet([9, 13, 32, 32], SPACE),
  S: createSet([0, 8, 14, 31, 33, 127], SPACE << 3),
}

export const rangeOf = (low: number, high: number): CharSet => createSet([low, high])

export const complementOf = (set: CharSet): CharSet => ({ ...set, isNegated: true })

/** @param sets None of them negated. */
export const unionOf = (sets: readonly CharSet[]): CharSet => {
  const ranges: [low: number, high: number][] = []
  for (const { bounds } of sets)
    for (let index = 0; index < bounds.length; index += 2) ranges.push([bounds[index]!, bounds[index + 1]!])
  const merged: number[] = []
  for (const [low, high] of ranges.sort(([first], [second]) => first - second)) {
    const last = merged.length - 1
    if (last > 0 && low <= merged[last]! + 1) merged[last] = Math.max(merged[last]!, high)
    else merged.push(low, high)
  }
  // Not by `reduce`, which Prototype.js before 1.7 replaces in pages.
  let allClasses = 0
  for (const { nonAsciiClasses } of sets) allClasses |= nonAsciiClasses
  return createSet(merged, allClasses)
}

const DIGITS = /\p{Nd}/u
const WORD_CHARS = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u
const SPACES = /\p{White_Space}/u

/** By code unit: its classes plus one; 0 when not computed yet. Allocated for the first string beyond ASCII. */
let classCache: Uint8Array | undefined

/**
 * Returns as bits (below 8) which of `\d \w \s` contain a code point beyond ASCII. These are the Unicode classes of UTS #18
 * (annex C), which the protocol's services use too. Code points above 0xFFFF are not cached.
 */
export const unicodeClassesOf = (code: number): number => {
  classCache ??= new Uint8Array(0x10000)
  const cached = classCache[code]
  if (cached) return cached - 1
  const char = String.fromCodePoint(code)
  const classes = (DIGITS.test(char) ? DIGIT : 0) | (WORD_CHARS.test(char) ? WORD : 0) | (SPACES.test(char) ? SPACE : 0)
  classCache[code] = classes + 1
  return classes
}

const isInRanges = (bounds: readonly number[], code: number): boolean => {
  let low = 0
  let high = bounds.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (bounds[2 * middle + 1]! < code) low = middle + 1
    else high = middle
  }
  return 2 * low < bounds.length && bounds[2 * low]! <= code
}

/** Returns whether a set contains a code point. */
export const hasChar = ({ bounds, nonAsciiClasses, isNegated }: CharSet, code: number): boolean => {
  if (isInRanges(bounds, code)) return !isNegated
  if (nonAsciiClasses === 0 || code < 128) return isNegated
  const classes = unicodeClassesOf(code)
  return (nonAsciiClasses & (classes | (~classes << 3))) !== 0 ? !isNegated : isNegated
}
