/** Longest part that is left to the built-in search: for longer ones that can take the product of both lengths. */
const SHORT = 250

/**
 * Makes the question whether a text has this part, answered in time linear in the text whatever the part is: longer ones are
 * looked for as by Knuth, Morris and Pratt (SIAM J. Comput. 6:2, 1977), never going back in the text.
 */
export const includes = (part: string): ((text: string) => boolean) => {
  const { length } = part
  if (length <= SHORT) return (text) => text.includes(part)
  /** By how much of the part was found: how much of it is found still when the next character is another one. */
  const rest = new Int32Array(length + 1)
  rest[0] = -1
  const grown = (found: number, code: number): number => {
    let longest = found
    while (longest >= 0 && part.charCodeAt(longest) !== code) longest = rest[longest]!
    return longest + 1
  }
  for (let at = 1; at < length; at++) rest[at + 1] = grown(rest[at]!, part.charCodeAt(at))
  return (text) => {
    let found = 0
    for (let at = 0; at < text.length; at++) {
      found = grown(found, text.charCodeAt(at))
      if (found === length) return true
    }
    return false
  }
}
