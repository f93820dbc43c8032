/**
 * Returns the number of bytes of a string in UTF-8, without encoding it. A lone surrogate has three bytes, because encoders write U+FFFD for
 * it.
 */
export const utf8Length = (input: string): number => {
  let bytes = input.length
  // Most JSON is ASCII, and the search is native code.
  let at = input.search(/[\u0080-\uffff]/)
  if (at >= 0)
    for (; at < input.length; at++) {
      const code = input.codePointAt(at)!
      // A pair of surrogates has two units and four bytes.
      if (code > 0xffff) at++
      bytes += code > 0x7ff ? 2 : +(code > 0x7f)
    }
  return bytes
}
