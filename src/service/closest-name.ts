/** Longest name that is compared, in characters: the work grows with the square of it. */
export const MAX_COMPARED_LENGTH = 100

/**
 * The name that differs least from the given one, if it is likely to be meant: at most one letter in three is missing, wrong, too
 * many, or swapped with the next. Case and separators (`_`, `-`, space, `$`) do not count. Null if there is none. Names of more than
 * `MAX_COMPARED_LENGTH` characters are not compared.
 *
 * @param maxDistance Maximum number of wrong letters, also of a long name. Default: one in three.
 */
export const findClosestName = (
  name: string,
  names: Iterable<string>,
  maxDistance: number = Infinity,
): string | null => {
  if (name.length > MAX_COMPARED_LENGTH) return null
  const plainName = toPlainName(name)
  let closest: string | null = null
  let least = Math.min(maxDistance, Math.max(1, Math.floor(plainName.length / 3))) + 1
  for (const candidate of names) {
    if (candidate.length > MAX_COMPARED_LENGTH) continue
    const plain = toPlainName(candidate)
    if (Math.abs(plain.length - plainName.length) >= least) continue
    const distance = editDistance(plainName, plain, least)
    if (distance < least) {
      closest = candidate
      least = distance
    }
  }
  return plainName === '' ? null : closest
}

/** A field whose name differs in more letters is another field. */
const MAX_MISSED_LETTERS = 2

/**
 * The field that the author of an unknown field has probably meant: its name differs in case and separators only, or in one letter, or
 * in two letters of six or more. Null if there is none, and for a known name.
 */
export const findNearMiss = (name: string, knownNames: readonly string[]): string | null =>
  knownNames.includes(name) ? null : findClosestName(name, knownNames, MAX_MISSED_LETTERS)

/** A name without what does not count in comparisons: case and separators. */
export const toPlainName = (name: string): string => name.toLowerCase().replaceAll(/[\s_$-]/g, '')

/**
 * The number of letters to insert, delete, replace, or swap with the next (optimal string alignment). Infinity as soon as it is known
 * to be `limit` or more.
 */
const editDistance = (a: string, b: string, limit: number): number => {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const change = previous[j - 1]! + (isEqual ? 0 : 1)
      const swap = isSwap ? beforePrevious[j - 2]! + 1 : Infinity
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, change, swap))
    }
    // No later row has a lower number than the lowest of this one.
    if (Math.min(...row) >= limit) return Infinity
    beforePrevious = previous
    previous = row
  }
  return previous[b.length]!
}
