import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { invalid, tooLarge } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { BodyForm } from './form.ts'
import { readLz64 } from './lz64.ts'
import { readUtf8 } from './read-utf8.ts'
import { withoutMark } from './request.ts'

/** The highest body limit that can be configured: V8 ends strings at 512 MB of units, and an event loop long before. */
export const MOST_BODY_BYTES: number = 256 * 1024 * 1024

/**
 * The JSON text in a request body of any form of the protocol: gzip (known by its first bytes, whatever the headers say),
 * `data=` of a form, lz64, base64, plain. Throws `Refusal`: 413 when the body or its text has `maxBytes` or more,
 * 400 when it cannot be read.
 */
export const bodyText = (bytes: Uint8Array, form: BodyForm, maxBytes: number): string => {
  if (bytes.length >= maxBytes) throw tooLarge(maxBytes)
  const body = unmangled(bytes)
  return plainText(isGzip(body) ? inflate(body, maxBytes) : body, form, maxBytes)
}

/** Fields of a form that are looked at. */
const MOST_FIELDS = 100

const plainText = (bytes: Uint8Array, form: BodyForm, maxBytes: number): string => {
  const text = utf8(bytes)
  if (form.type !== 'form' && !text.startsWith('data=')) return unpack(text, form.compression, maxBytes)
  // A body that only claims to be a form (`curl -d '{…}'`) is what it looks like.
  if (looksLikeJson(text)) return text
  // No more fields than any sender has: each costs memory, and a body has room for millions.
  const fields = parse(text, '&', '=', { maxKeys: MOST_FIELDS })
  const [data] = [fields['data']].flat()
  if (data === undefined) throw invalid('missing_data', 'A form body must carry its JSON in the field "data".', 'data')
  return unpack(data, [fields['compression']].flat()[0] ?? form.compression, maxBytes)
}

/** Takes the text transports off a text; what is left looks like JSON or is left for the JSON parser to refuse. */
const unpack = (text: string, compression: string | undefined, maxBytes: number): string => {
  if (looksLikeJson(text)) return text
  // A few bytes of gzip hold megabytes of blanks, each of which the rest would look at many times.
  if (firstSign(text) === '') return ''
  // What is JSON but no object would pass as base64.
  if (compression !== 'lz64' && SCALAR.test(text)) return text
  const base64 = bareBase64(text)
  if (compression === 'lz64') {
    const opened = readLz64(base64, maxBytes - 1)
    if ('failure' in opened) {
      throw opened.failure === 'too_large'
        ? tooLarge(maxBytes)
        : invalid('invalid_lz64', 'The body is not an lz-string base64 text.')
    }
    if (Buffer.byteLength(opened.text) >= maxBytes) throw tooLarge(maxBytes)
    return unpack(opened.text, undefined, maxBytes)
  }
  if (base64 === '' || !BASE64.test(base64)) return text
  const bytes = Buffer.from(base64, 'base64')
  return utf8(isGzip(bytes) ? inflate(bytes, maxBytes) : bytes)
}

/** JSON's null, booleans and numbers. Base64 of anything that begins like JSON or gzip looks otherwise. */
const SCALAR = /^\s*(null|true|false|-?\d+(\.\d+)?)\s*$/

/** Base64 without what senders put around it: a prefix, percent-encoding. In a form, an unescaped "+" arrives as a space. */
const bareBase64 = (text: string): string =>
  text
    .trim()
    .replace(/^data=/, '')
    .replaceAll(/%2b/gi, '+')
    .replaceAll(/%2f/gi, '/')
    .replaceAll(/%3d/gi, '=')
    .replaceAll(' ', '+')

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** The first sign of a text that is no blank; '' when there is none. */
const firstSign = (text: string): string => text.charAt(text.search(/\S/))

const looksLikeJson = (text: string): boolean => ['{', '['].includes(firstSign(text))

/** Gzip that was sent as a string, each byte one character of Latin-1, arrives with the high ones as two bytes of UTF-8. */
const unmangled = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x1f && bytes[1] === 0xc2 && bytes[2] === 0x8b && isUtf8(bytes)
    ? Buffer.from(Buffer.from(bytes).toString('utf8'), 'latin1')
    : bytes

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

const inflate = (bytes: Uint8Array, maxBytes: number): Uint8Array => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes - 1 })
  } catch (error) {
    throw inflateRefusal(error, maxBytes)
  }
}

const inflateRefusal = (error: unknown, maxBytes: number): Refusal =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    ? tooLarge(maxBytes)
    : invalid(
        'invalid_gzip',
        `The body begins like gzip but is damaged, cut off, or followed by something else (${String(error)}).`,
        null,
        error,
      )

const utf8 = (bytes: Uint8Array): string => withoutMark(readUtf8(bytes))
