import { utf8Length } from '../../codec/utf8.ts'
import type { Compressor } from '../../port/compressor.ts'
import type { SendRequest } from '../../port/send.ts'
import { isWorthIt } from '../encoded-body.ts'
import type { EncodedBody } from '../encoded-body.ts'

/** A body as a server sends it: JSON by its own name, for no preflight has to be avoided here. */
export interface NodeBody extends EncodedBody, Pick<SendRequest, 'headers'> {}

/** Encodes by gzip, unless the body is small, compression is switched off, or the platform has none. */
export const encodeBody = async (json: string, isDisabled: boolean, gzip: Compressor): Promise<NodeBody> => {
  const contentType = 'application/json'
  const bytesBefore = json.length
  if (isWorthIt(json, isDisabled)) {
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
