import { compressToBase64 } from './lz-base64.ts'

/**
 * Encodes JSON for services that accept neither gzip nor plain JSON: `data=<url-encoded LZString base64>&compression=lz64`, sent as
 * `application/x-www-form-urlencoded`.
 */
export const lz64Form = (json: string): string => `data=${encodeURIComponent(compressToBase64(json))}&compression=lz64`
