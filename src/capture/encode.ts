import { lz64Form } from '../codec/lz64.ts'
import { utf8Length } from '../codec/utf8.ts'
import type { Compressor } from '../port/compressor.ts'
import { isWorthIt } from './encoded-body.ts'
import type { EncodedBody, Encoding } from './encoded-body.ts'

/** Most characters that are compressed on the page's own thread: at most 20 ms of its time, though the code is cold at a page's end. */
export const SYNC_MAX: number = 32 * 1024

/**
 * Encodes by gzip where the platform has it, else as `encodeSync` does.
 *
 * @param supported What the service has announced (`supportedCompression` of its decide answer); until then it is taken to read all.
 */
export const encode = async (
  json: string,
  supported: readonly string[] | undefined,
  isDisabled: boolean,
  gzip: Compressor,
): Promise<EncodedBody> => {
  if (isWorthIt(json, isDisabled) && (!supported || supported.some((name) => name.startsWith('gzip')))) {
    try {
      return encoded(json, await gzip(json), 'gzip')
    } catch {
      // No gzip on this platform.
    }
  }
  return encodeSync(json, supported, isDisabled)
}

/** Encodes at once, for the moment in which the page goes away, when it is too late for gzip, which is a stream: lz64, or plain JSON. */
export const encodeSync = (json: string, supported: readonly string[] | undefined, isDisabled: boolean): EncodedBody =>
  isWorthIt(json, isDisabled) && json.length <= SYNC_MAX && (!supported || supported.includes('lz64'))
    ? encoded(json, lz64Form(json), 'lz64', 'application/x-www-form-urlencoded')
    : encoded(json, json, 'plain')

const encoded = (
  json: string,
  body: string | Uint8Array,
  encoding: Encoding,
  contentType = 'text/plain',
): EncodedBody => {
  const bytesAfter = typeof body === 'string' ? utf8Length(body) : body.length
  return { body, contentType, encoding, bytesBefore: json.length, bytesAfter }
}
