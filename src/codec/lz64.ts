const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * The form body of services that take neither gzip nor plain JSON:
 * `data=<url-encoded LZString base64>&compression=lz64`, sent as `application/x-www-form-urlencoded`.
 */
export const lz64Form = (json: string): string => `data=${encodeURIComponent(lz64(json))}&compression=lz64`

/**
 * Compresses as LZString's `compressToBase64` (https://pieroxy.net/blog/pages/lz-string/index.html): LZ78 over UTF-16 units. A code takes as
 * many bits as the size of the dictionary needs, its lowest bit first; 0 and 1 announce a new unit of 8 or 16 bits, 2 the end.
 */
const lz64 = (text: string): string => {
  // A phrase is its prefix's code and its last unit, as one number; no code is a prefix of 0.
  const codes = new Map<number, number>()
  // Units that have a code but were not written yet.
  const fresh = new Map<number, number>()
  let size = 3
  let width = 2
  let room = 2
  let out = ''
  let bits = 0
  let filled = 0

  const write = (value: number, count: number): void => {
    for (let rest = value; count--; rest >>= 1) {
      bits = (bits << 1) | (rest & 1)
      if (++filled === 6) {
        out += ALPHABET[bits]
        bits = filled = 0
      }
    }
  }
  const grow = (): void => {
    if (!--room) room = 2 ** width++
  }
  const emit = (code: number): void => {
    const unit = fresh.get(code)
    if (unit === undefined) write(code, width)
    else {
      const isWide = unit > 255
      write(Number(isWide), width)
      write(unit, isWide ? 16 : 8)
      fresh.delete(code)
      grow()
    }
    grow()
  }

  let phrase = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const longer = codes.get(phrase * 65_536 + unit)
    if (longer) {
      phrase = longer
      continue
    }
    if (!codes.has(unit)) {
      codes.set(unit, size)
      fresh.set(size++, unit)
    }
    if (phrase) {
      emit(phrase)
      codes.set(phrase * 65_536 + unit, size++)
    }
    phrase = codes.get(unit)!
  }
  if (phrase) emit(phrase)
  write(2, width)
  write(0, 6 - filled)
  return out.padEnd(Math.ceil(out.length / 4) * 4, '=')
}
