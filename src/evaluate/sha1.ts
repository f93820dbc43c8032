// SHA-1 (RFC 3174) in plain JavaScript. Browsers hash flags synchronously too, and for strings of one block this is faster
// than a call into a native hash. Calls do not overlap, so they share one schedule and one state.

const schedule = new Int32Array(80)
const state = new Int32Array(5)
/** Bytes written so far. */
let length = 0

const compress = (): void => {
  for (let t = 16; t < 80; t++) {
    const word = schedule[t - 3]! ^ schedule[t - 8]! ^ schedule[t - 14]! ^ schedule[t - 16]!
    schedule[t] = (word << 1) | (word >>> 31)
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let next = 0
  for (let t = 0; t < 20; t++) {
    next = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + schedule[t]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 20; t < 40; t++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + schedule[t]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 40; t < 60; t++) {
    next = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + schedule[t]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 60; t < 80; t++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + schedule[t]!) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
  state[4] = (state[4]! + e) | 0
}

const putByte = (byte: number): void => {
  const word = (length & 63) >> 2
  schedule[word] = (schedule[word]! << 8) | byte
  length++
  if ((length & 63) === 0) compress()
}

/** Writes a string as UTF-8; a lone surrogate becomes U+FFFD, as in `TextEncoder`. */
const putString = (input: string): void => {
  for (let index = 0; index < input.length; index++) {
    let code = input.charCodeAt(index)
    if (code < 0x80) {
      putByte(code)
      continue
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = input.charCodeAt(index + 1)
      if (code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
        index++
      } else code = 0xfffd
    }
    if (code < 0x800) putByte(0xc0 | (code >> 6))
    else {
      if (code < 0x10000) putByte(0xe0 | (code >> 12))
      else {
        putByte(0xf0 | (code >> 18))
        putByte(0x80 | ((code >> 12) & 63))
      }
      putByte(0x80 | ((code >> 6) & 63))
    }
    putByte(0x80 | (code & 63))
  }
}

/**
 * Computes SHA-1 of the concatenated strings as UTF-8.
 *
 * @returns The digest as five signed 32-bit words; the next call overwrites it.
 */
export const sha1 = (first: string, second: string, third: string): Int32Array => {
  length = 0
  state[0] = 0x67452301
  state[1] = 0xefcdab89
  state[2] = 0x98badcfe
  state[3] = 0x10325476
  state[4] = 0xc3d2e1f0
  putString(first)
  putString(second)
  putString(third)
  const bytes = length
  putByte(0x80)
  for (let fill = -length & 3; fill > 0; fill--) putByte(0)
  let word = (length & 63) >> 2
  if (word > 14) {
    schedule[15] = 0
    compress()
    word = 0
  }
  while (word < 14) schedule[word++] = 0
  schedule[14] = Math.floor(bytes / 0x20000000)
  schedule[15] = bytes << 3
  compress()
  return state
}
