/** A set of code points. Asking takes the logarithm of its ranges, however much a pattern lists. */
export interface CharSet {
  /** Ranges in order that do not touch, bounds inclusive: low, high, low, high… */
  readonly bounds: readonly number[]
  /** Further members beyond ASCII: what one of these finds. */
  readonly beyond: ReadonlySet<RegExp>
  /** True for the set of everything else. */
  readonly excluded: boolean
}

const setOf = (bounds: readonly number[], ...beyond: readonly RegExp[]): CharSet => ({
  bounds,
  beyond: new Set(beyond),
  excluded: false,
})

/** By the letter behind the backslash. Unicode's, as UTS #18 (annex C) defines them and the protocol's services have them. */
export const CLASSES: Readonly<Record<string, CharSet>> = {
  d: setOf([48, 57], /\p{Nd}/u),
  D: setOf([0, 47, 58, 127], /\P{Nd}/u),
  w: setOf([48, 57, 65, 90, 95, 95, 97, 122], /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u),
  W: setOf([0, 47, 58, 64, 91, 94, 96, 96, 123, 127], /[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u),
  s: setOf([9, 13, 32, 32], /\p{White_Space}/u),
  S: setOf([0, 8, 14, 31, 33, 127], /\P{White_Space}/u),
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
  return setOf(merged, ...sets.flatMap(({ beyond }) => [...beyond]))
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
  if (code > 127) for (const each of beyond) if (each.test(String.fromCodePoint(code))) return !excluded
  return excluded
}
