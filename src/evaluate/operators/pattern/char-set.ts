/** A set of code points. Asking takes the logarithm of its ranges, however much a pattern lists. */
export interface CharSet {
  /** Ranges in order that do not touch, bounds inclusive: low, high, low, high… */
  readonly bounds: readonly number[]
  /** Further members beyond ASCII: the classes of `classesOf`, and three bits higher what is not in them. */
  readonly beyond: number
  /** True for the set of everything else. */
  readonly excluded: boolean
}

const setOf = (bounds: readonly number[], beyond = 0): CharSet => ({ bounds, beyond, excluded: false })

const DIGIT = 1
const WORD = 2
const SPACE = 4

/** By the letter behind the backslash. */
export const CLASSES: Readonly<Record<string, CharSet>> = {
  d: setOf([48, 57], DIGIT),
  D: setOf([0, 47, 58, 127], DIGIT << 3),
  w: setOf([48, 57, 65, 90, 95, 95, 97, 122], WORD),
  W: setOf([0, 47, 58, 64, 91, 94, 96, 96, 123, 127], WORD << 3),
  s: setOf([9, 13, 32, 32], SPACE),
  S: setOf([0, 8, 14, 31, 33, 127], SPACE << 3),
}

export const fromTo = (low: number, high: number): CharSet => setOf([low, high])

export const allBut = (set: CharSet): CharSet => ({ ...set, excluded: true })

/** @param sets None of them from `allBut`. */
export const anyOf = (sets: readonly CharSet[]): CharSet => {
  const ranges: [low: number, high: number][] = []
  for (const { bounds } of sets)
    for (let at = 0; at < bounds.length; at += 2) ranges.push([bounds[at]!, bounds[at + 1]!])
  const merged: number[] = []
  for (const [low, high] of ranges.sort(([one], [other]) => one - other)) {
    const last = merged.length - 1
    if (last > 0 && low <= merged[last]! + 1) merged[last] = Math.max(merged[last]!, high)
    else merged.push(low, high)
  }
  return setOf(
    merged,
    sets.reduce((all, { beyond }) => all | beyond, 0),
  )
}

const NUMBER = /\p{Nd}/u
const LETTER = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u
const BLANK = /\p{White_Space}/u

/** By code unit, one more than its classes; made for the first text beyond ASCII. Code points above it are asked each time. */
let known: Uint8Array | undefined

/**
 * In which of `\d \w \s` a code point beyond ASCII is, as bits: those of Unicode, as UTS #18 (annex C) defines them and the
 * protocol's services have them. Below 8.
 */
export const classesOf = (code: number): number => {
  known ??= new Uint8Array(0x10000)
  const found = known[code]
  if (found) return found - 1
  const char = String.fromCodePoint(code)
  const classes = (NUMBER.test(char) ? DIGIT : 0) | (LETTER.test(char) ? WORD : 0) | (BLANK.test(char) ? SPACE : 0)
  known[code] = classes + 1
  return classes
}

const inRange = (bounds: readonly number[], code: number): boolean => {
  let low = 0
  let high = bounds.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (bounds[2 * middle + 1]! < code) low = middle + 1
    else high = middle
  }
  return 2 * low < bounds.length && bounds[2 * low]! <= code
}

export const has = ({ bounds, beyond, excluded }: CharSet, code: number): boolean => {
  if (inRange(bounds, code)) return !excluded
  if (beyond === 0 || code < 128) return excluded
  const classes = classesOf(code)
  return (beyond & (classes | (~classes << 3))) !== 0 ? !excluded : excluded
}
