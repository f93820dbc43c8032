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
 * Chooses by what the service has announced (`supportedCompression` of its decide answer; until then it is taken to read all): gzip where
 * the platform can, else lz64, else plain.
 */
export function chooseEncoding(
  supported: readonly string[] | undefined,
  size: number,
  isDisabled: boolean,
  canGzip: boolean,
): Encoding {
  const reads = (name: string): boolean => !supported || supported.includes(name)
  if (isDisabled || size < COMPRESS_FROM) return 'plain'
  if (canGzip && (reads('gzip') || reads('gzip-js'))) return 'gzip'
  return reads('lz64') ? 'lz64' : 'plain'
}

/** Encodes by the compressor, and without it when it fails. */
export async function encode(
  json: string,
  supported: readonly string[] | undefined,
  isDisabled: boolean,
  compressor: Compressor,
): Promise<EncodedBody> {
  if (chooseEncoding(supported, json.length, isDisabled, true) === 'gzip') {
    try {
      return text(await compressor(json), 'gzip')
    } catch {
      // No gzip on this platform.
    }
  }
  return encodeSync(json, supported, isDisabled)
}

/** Encodes at once, for the moment in which the page goes away: no gzip, which platforms offer only as a stream. */
export function encodeSync(json: string, supported: readonly string[] | undefined, isDisabled: boolean): EncodedBody {
  return chooseEncoding(supported, json.length, isDisabled, false) === 'lz64'
    ? { ...text(lz64Form(json), 'lz64'), contentType: 'application/x-www-form-urlencoded' }
    : text(json, 'plain')
}

function text(body: string | Uint8Array, encoding: Encoding): EncodedBody {
  return { body, contentType: 'text/plain', encoding, bytes: typeof body === 'string' ? utf8Length(body) : body.length }
}
