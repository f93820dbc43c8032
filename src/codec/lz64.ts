import LZString from 'lz-string'

/** The method behind all others of lz-string. Its types lack it. */
type Core = {
  /** @param toChar Returns the character for `bitsPerChar` bits. */
  _compress(input: string, bitsPerChar: number, toChar: (bits: number) => string): string
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Encodes JSON for services that accept neither gzip nor plain JSON: `data=<url-encoded LZString base64>&compression=lz64`, sent as
 * `application/x-www-form-urlencoded`.
 */
export const lz64Form = (json: string): string => {
  const base64 = (LZString as unknown as Core)._compress(json, 6, (bits) => BASE64.charAt(bits))
  return `data=${encodeURIComponent(base64.padEnd((base64.length + 3) & ~3, '='))}&compression=lz64`
}
