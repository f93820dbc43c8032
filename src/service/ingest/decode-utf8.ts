import { isUtf8 } from 'node:buffer'
import { badRequest } from '../http-error.ts'

/**
 * Decodes UTF-8, and also CESU-8, which encodes a character beyond U+FFFF as two surrogates of three bytes each. For years
 * posthog-js encoded strings like this before base64, so its requests contain emoji in this form. Throws `HttpError` (400) for other bytes.
 */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  const utf8 = isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : convertCesu8(bytes)
  if (utf8 !== null) return utf8.toString('utf8')
  throw badRequest('invalid_utf8', 'The body is not valid UTF-8. Encode its JSON as UTF-8.')
}

/** Surrogates of three bytes each; valid UTF-8 never contains such bytes. */
const SURROGATE_BYTES = /(?:\xED[\xA0-\xBF][\x80-\xBF])+/g

/** Converts CESU-8 to UTF-8; null when the result is not valid UTF-8. */
const convertCesu8 = (bytes: Uint8Array): Buffer | null => {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const converted = Buffer.from(
    // A single surrogate becomes the replacement character.
    latin1.replaceAll(SURROGATE_BYTES, (run) => Buffer.from(decodeSurrogates(run), 'utf8').toString('latin1')),
    'latin1',
  )
  return isUtf8(converted) ? converted : null
}

const decodeSurrogates = (run: string): string => {
  let units = ''
  for (let at = 0; at < run.length; at += 3) {
    units += String.fromCharCode(0xd000 | ((run.charCodeAt(at + 1) & 0x3f) << 6) | (run.charCodeAt(at + 2) & 0x3f))
  }
  return units
}
