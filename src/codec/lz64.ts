import LZString from 'lz-string'

/**
 * Encodes JSON for services that accept neither gzip nor plain JSON: `data=<url-encoded LZString base64>&compression=lz64`, sent as
 * `application/x-www-form-urlencoded`.
 */
export const lz64Form = (json: string): string =>
  `data=${encodeURIComponent(LZString.compressToBase64(json))}&compression=lz64`
