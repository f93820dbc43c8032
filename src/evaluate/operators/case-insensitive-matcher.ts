import { foldOnce } from '../work-budget.ts'

/** Maximum candidates that are compared one by one. With more candidates, a set is faster. */
const MAX_LINEAR = 8

const toLowerCase = (input: string): string => input.toLowerCase()

/**
 * Returns whether `input` in lower case equals `lowered`. Allocates no string for ASCII input, which is what most evaluations compare.
 * Each ASCII letter stays one letter in lower case, so the first difference before a non-ASCII character decides.
 */
const equalsLowered = (input: string, lowered: string): boolean => {
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index)
    if (code > 127) return foldOnce(input, toLowerCase) === lowered
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== lowered.charCodeAt(index)) return false
  }
  return input.length === lowered.length
}

/** Creates a test whether a string equals one of the candidates, both in lower case (full Unicode). */
export const createCaseInsensitiveMatcher = (candidates: readonly string[]): ((input: string) => boolean) => {
  const lowered = new Set(candidates.map((candidate) => candidate.toLowerCase()))
  if (lowered.size > MAX_LINEAR) return (input) => lowered.has(foldOnce(input, toLowerCase))
  const list = [...lowered]
  return (input) => {
    for (let index = 0; index < list.length; index++) if (equalsLowered(input, list[index]!)) return true
    return false
  }
}
