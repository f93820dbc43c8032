import { utf8Length } from '../../codec/utf8.ts'
import type { Compressor } from '../../port/compressor.ts'
import type { SendRequest } from '../../port/send.ts'
import { isWorthCompressing } from '../encoded-body.ts'
import type { EncodedBody } from '../encoded-body.ts'

/** A body typed as JSON: outside of browsers there is no preflight request to avoid. */
export interface NodeBody extends EncodedBody, Pick<SendRequest, 'headers'> {}

/** Compresses with gzip, unless the body is small, compression is disabled, or the platform has no gzip. */
export const encodeBody = async (json: string, isDisabled: boolean, gzip: Compressor): Promise<NodeBody> => {
  const contentType = 'application/json'
  const bytesBefore = json.length
  if (isWorthCompressing(json, isDisabled)) {
    try {
      const body = await gzip(json)
      const headers = { 'Content-Encoding': 'gzip' }
      return { body, contentType, headers, encoding: 'gzip', bytesBefore, bytesAfter: body.length }
    } catch {
      // No gzip on this platform.
    }
  }
  return { body: json, contentType, encoding: 'plain', bytesBefore, bytesAfter: utf8Length(json) }
}
