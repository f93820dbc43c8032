/** Maximum length for the built-in search: with longer needles it can take time proportional to the product of both lengths. */
const MAX_BUILT_IN_LENGTH = 250

/**
 * Creates a test whether a string contains `needle`, in time linear in the string. Long needles are searched for as in Knuth,
 * Morris and Pratt (SIAM J. Comput. 6:2, 1977), which never goes back in the string.
 */
export const createSubstringSearch = (needle: string): ((haystack: string) => boolean) => {
  const { length } = needle
  if (length <= MAX_BUILT_IN_LENGTH) return (haystack) => haystack.includes(needle)
  /** The failure function: by matched length, the length that stays matched when the next character differs. */
  const fallback = new Int32Array(length + 1)
  fallback[0] = -1
  const extendMatch = (matched: number, code: number): number => {
    let longest = matched
    while (longest >= 0 && needle.charCodeAt(longest) !== code) longest = fallback[longest]!
    return longest + 1
  }
  for (let index = 1; index < length; index++)
    fallback[index + 1] = extendMatch(fallback[index]!, needle.charCodeAt(index))
  return (haystack) => {
    let matched = 0
    for (let index = 0; index < haystack.length; index++) {
      matched = extendMatch(matched, haystack.charCodeAt(index))
      if (matched === length) return true
    }
    return false
  }
}
