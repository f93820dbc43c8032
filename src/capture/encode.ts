import { utf8Length } from '../codec/utf8.ts'
import type { Compressor } from '../port/compressor.ts'
import { isWorthCompressing } from './encoded-body.ts'
import type { EncodedBody, Encoding } from './encoded-body.ts'

/** Encodes JSON as the lz64 form, synchronously. Undefined while the code for it is not there: such a body is plain JSON. */
export type Lz64Encoder = (json: string) => string | undefined

/** Maximum characters to compress on the page's main thread: takes at most 20 ms, even when the code runs for the first time. */
export const MAX_SYNC_LENGTH: number = 32 * 1024

/**
 * Encodes with gzip where the platform has it, otherwise like `encodeSync`.
 *
 * @param supported Encodings that may be used. Undefined before the service has announced any: every encoding is assumed to work.
 */
export const encode = async (
  json: string,
  supported: readonly string[] | undefined,
  gzip: Compressor,
  lz64: Lz64Encoder | undefined,
): Promise<EncodedBody> => {
  if (isWorthCompressing(json) && (!supported || supported.some((name) => name.startsWith('gzip')))) {
    try {
      return createEncodedBody(await gzip(json), 'gzip')
    } catch {
      // This platform has no gzip.
    }
  }
  return encodeSync(json, supported, lz64)
}

/** Encodes synchronously, with `lz64` or as plain JSON. For page unload, when the asynchronous gzip stream would end too late. */
export const encodeSync = (
  json: string,
  supported: readonly string[] | undefined,
  lz64: Lz64Encoder | undefined,
): EncodedBody => {
  const mayCompress =
    isWorthCompressing(json) && json.length <= MAX_SYNC_LENGTH && supported?.includes('lz64') !== false
  const form = mayCompress && lz64?.(json)
  return form ? createEncodedBody(form, 'lz64', 'application/x-www-form-urlencoded') : createEncodedBody(json, 'plain')
}

const createEncodedBody = (body: string | Uint8Array, encoding: Encoding, contentType = 'text/plain'): EncodedBody => {
  const bytesAfter = typeof body === 'string' ? utf8Length(body) : body.length
  return { body, contentType, sizes: { encoding, bytesAfter } }
}
