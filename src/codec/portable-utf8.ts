/** Missing in Hermes before React Native 0.74. */
declare const TextEncoder: (new () => { encode(input: string): Uint8Array }) | undefined

/** Encodes a string in UTF-8, on any JavaScript engine. As in `TextEncoder`, a lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (input: string): Uint8Array =>
  typeof TextEncoder === 'undefined' ? encodeByHand(input) : new TextEncoder().encode(input)

const encodeByHand = (input: string): Uint8Array => {
  const bytes = new Uint8Array(input.length * 3)
  let end = 0
  for (let index = 0; index < input.length; index++) {
    let code = input.codePointAt(index)!
    if (code < 0x80) bytes[end++] = code
    else {
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd
      if (code < 0x800) bytes[end++] = 0xc0 | (code >> 6)
      else {
        if (code < 0x10000) bytes[end++] = 0xe0 | (code >> 12)
        else {
          bytes[end++] = 0xf0 | (code >> 18)
          bytes[end++] = 0x80 | ((code >> 12) & 63)
          // The second half of the surrogate pair.
          index++
        }
        bytes[end++] = 0x80 | ((code >> 6) & 63)
      }
      bytes[end++] = 0x80 | (code & 63)
    }
  }
  return bytes.slice(0, end)
}
