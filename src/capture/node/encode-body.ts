import { utf8Length } from '../../codec/utf8.ts'
import type { Compressor } from '../../port/compressor.ts'
import { isWorthCompressing } from '../encoded-body.ts'
import type { EncodedBody } from '../encoded-body.ts'

/** Compresses with gzip, unless the body is small, compression is disabled, or the platform has no gzip. */
export const encodeBody = async (
  json: string,
  isDisabled: boolean | undefined,
  gzip: Compressor,
): Promise<EncodedBody> => {
  // Outside of browsers there is no preflight request to avoid.
  const contentType = 'application/json'
  if (!isDisabled && isWorthCompressing(json)) {
    try {
      const body = await gzip(json)
      const headers = { 'Content-Encoding': 'gzip' }
      return { body, contentType, headers, sizes: { encoding: 'gzip', bytesAfter: body.length } }
    } catch {
      // No gzip on this platform.
    }
  }
  return { body: json, contentType, sizes: { encoding: 'plain', bytesAfter: utf8Length(json) } }
}
