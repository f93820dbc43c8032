import { lz64Form } from '../codec/lz64.ts'
import { utf8Length } from '../codec/utf8.ts'
import type { Compressor } from '../port/compressor.ts'

/** How a body travels: gzip bytes, the lz64 form, or JSON as it is. All three are CORS-safelisted content types. */
export type Encoding = 'gzip' | 'lz64' | 'plain'

/** A body as it goes out, and what it was before: the demo's panel and the bench show both sizes. */
export interface EncodedBody {
  readonly body: string | Uint8Array
  readonly contentType: string
  readonly encoding: Encoding
  readonly bytes: number
}

/** Bodies below this many characters gain nothing from compression: the gzip frame alone is 18 bytes. */
const COMPRESS_FROM = 200

/**
 * Chooses by what the service has announced (`supportedCompression` of its decide answer): gzip until it has announced otherwise,
 * else lz64, else plain.
 */
export function chooseEncoding(supported: readonly string[] | undefined, size: number, isDisabled: boolean): Encoding {
  if (isDisabled || size < COMPRESS_FROM) return 'plain'
  if (!supported || supported.includes('gzip') || supported.includes('gzip-js')) return 'gzip'
  return supported.includes('lz64') ? 'lz64' : 'plain'
}

/** Encodes off the main thread where the platform can; falls back to plain JSON when the compressor fails. */
export async function encode(json: string, encoding: Encoding, compressor: Compressor): Promise<EncodedBody> {
  if (encoding === 'gzip') {
    try {
      return text(await compressor.gzip(json), encoding)
    } catch {
      return text(json, 'plain')
    }
  }
  return encodeWithoutGzip(json, encoding)
}

/** Encodes at once, for the moment in which the page goes away. */
export function encodeSync(json: string, encoding: Encoding, compressor: Compressor): EncodedBody {
  if (encoding === 'gzip') {
    try {
      return text(compressor.gzipSync(json), encoding)
    } catch {
      return text(json, 'plain')
    }
  }
  return encodeWithoutGzip(json, encoding)
}

function encodeWithoutGzip(json: string, encoding: Encoding): EncodedBody {
  return encoding === 'lz64'
    ? { ...text(lz64Form(json), encoding), contentType: 'application/x-www-form-urlencoded' }
    : text(json, 'plain')
}

function text(body: string | Uint8Array, encoding: Encoding): EncodedBody {
  return { body, contentType: 'text/plain', encoding, bytes: typeof body === 'string' ? utf8Length(body) : body.length }
}
