import { isUtf8 } from 'node:buffer'
import { invalid } from '../refusal.ts'

/**
 * Bytes as text. Beside UTF-8 it reads CESU-8, in which characters beyond U+FFFF are two halves of three bytes each: so
 * posthog-js encoded text before base64, for years, and every emoji came that way. Throws `Refusal` (400) for other bytes.
 */
export const readUtf8 = (bytes: Uint8Array): string => {
  const body = isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : joinHalves(bytes)
  if (body !== null) return body.toString('utf8')
  throw invalid('invalid_utf8', 'The body is not UTF-8 text.')
}

/** Halves of surrogate pairs, each as three bytes; in UTF-8 no such bytes stand anywhere. */
const HALVES = /(?:\xED[\xA0-\xBF][\x80-\xBF])+/g

const joinHalves = (bytes: Uint8Array): Buffer | null => {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const joined = Buffer.from(
    // A half alone becomes the replacement character.
    latin1.replaceAll(HALVES, (run) => Buffer.from(unitsOf(run), 'utf8').toString('latin1')),
    'latin1',
  )
  return isUtf8(joined) ? joined : null
}

const unitsOf = (run: string): string => {
  let units = ''
  for (let at = 0; at < run.length; at += 3) {
    units += String.fromCharCode(0xd000 | ((run.charCodeAt(at + 1) & 0x3f) << 6) | (run.charCodeAt(at + 2) & 0x3f))
  }
  return units
}
