import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import { gunzipSync } from 'node:zlib'
import { badRequest, bodyTooLarge } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import type { BodyFormat } from './body-format.ts'
import { decodeLz64 } from './decode-lz64.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { stripByteOrderMark } from './parse-request.ts'

/**
 * The highest body limit that can be configured. V8 limits strings to 512 Mi UTF-16 units, and much smaller bodies already
 * block an event loop for too long.
 */
export const MAX_BODY_LIMIT_BYTES: number = 256 * 1024 * 1024

/**
 * Decodes a request body to its JSON string. Supports every form of the protocol: gzip, the field `data` of a form, lz64,
 * base64 and plain JSON. Gzip is recognised by its first bytes, whatever the headers say. Throws `HttpError`: 413 when the body
 * has `maxBytes` or more, as sent or decoded; 400 when it cannot be decoded.
 */
export const decodeBody = (bytes: Uint8Array, format: BodyFormat, maxBytes: number): string =>
  decodeDecompressed(decompressBody(bytes, maxBytes), format, maxBytes)

/** The first step of `decodeBody`: removes gzip. The result is JSON already for most bodies. */
export const decompressBody = (bytes: Uint8Array, maxBytes: number): Uint8Array => {
  if (bytes.length >= maxBytes) throw bodyTooLarge(maxBytes)
  const body = repairGzip(bytes)
  return isGzip(body) ? gunzip(body, maxBytes) : body
}

/** Form fields that are parsed: each takes memory, and a body has room for millions. */
const MAX_FORM_FIELDS = 100

/** The second step of `decodeBody`. */
export const decodeDecompressed = (bytes: Uint8Array, format: BodyFormat, maxBytes: number): string => {
  const string = toJsonString(bytes)
  if (format.type !== 'form' && !string.startsWith('data=')) return decodeString(string, format.compression, maxBytes)
  // The body can be JSON although its content type says form (`curl -d '{…}'`).
  if (looksLikeJson(string)) return string
  const fields = parse(string, '&', '=', { maxKeys: MAX_FORM_FIELDS })
  const [data] = [fields['data']].flat()
  if (data === undefined)
    throw badRequest('missing_data', 'The field "data" is missing in the form body; send the JSON in it.', 'data')
  return decodeString(data, [fields['compression']].flat()[0] ?? format.compression, maxBytes)
}

/** Removes lz64 and base64 from a string. The result looks like JSON, or the JSON parser will reject it. */
const decodeString = (string: string, compression: string | undefined, maxBytes: number): string => {
  if (looksLikeJson(string)) return string
  // A few bytes of gzip can decode to megabytes of blanks, and each step below would scan them again.
  if (firstNonBlank(string) === '') return ''
  // JSON scalars would pass as base64.
  if (compression !== 'lz64' && JSON_SCALAR.test(string)) return string
  const base64 = cleanBase64(string)
  if (compression === 'lz64') {
    const decoded = decodeLz64(base64, maxBytes - 1)
    if ('failure' in decoded) {
      throw decoded.failure === 'too_large'
        ? bodyTooLarge(maxBytes)
        : badRequest('invalid_lz64', 'The body is not valid lz64; send the output of compressToBase64 of lz-string.')
    }
    if (Buffer.byteLength(decoded.string) >= maxBytes) throw bodyTooLarge(maxBytes)
    return decodeString(decoded.string, undefined, maxBytes)
  }
  if (base64 === '' || !BASE64.test(base64)) return string
  const bytes = Buffer.from(base64, 'base64')
  return toJsonString(isGzip(bytes) ? gunzip(bytes, maxBytes) : bytes)
}

/** JSON's null, booleans and numbers. Base64 of JSON objects, arrays and gzip never looks like one. */
const JSON_SCALAR = /^\s*(null|true|false|-?\d+(\.\d+)?)\s*$/

/** Removes what senders add to base64: a prefix, percent-encoding. In a form, an unescaped "+" arrives as a space. */
const cleanBase64 = (string: string): string =>
  string
    .trim()
    .replace(/^data=/, '')
    .replaceAll(/%2b/gi, '+')
    .replaceAll(/%2f/gi, '/')
    .replaceAll(/%3d/gi, '=')
    .replaceAll(' ', '+')

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** The first character that is not white space; '' when there is none. */
const firstNonBlank = (string: string): string => string.charAt(string.search(/\S/))

const looksLikeJson = (string: string): boolean => ['{', '['].includes(firstNonBlank(string))

/** Gzip that was sent as a string, each byte as one Latin-1 character: the bytes from 0x80 on became two bytes of UTF-8. */
const repairGzip = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x1f && bytes[1] === 0xc2 && bytes[2] === 0x8b && isUtf8(bytes)
    ? Buffer.from(Buffer.from(bytes).toString('utf8'), 'latin1')
    : bytes

/** Whether bytes begin as gzip does. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

/** Bounds of the buffer that gunzip fills at once. Node's default is 16 KiB, however small or large the result. */
const MIN_BUFFER_BYTES = 256
const MAX_BUFFER_BYTES = 1024 * 1024

const gunzip = (bytes: Uint8Array, maxBytes: number): Uint8Array => {
  try {
    const chunkSize = Math.min(Math.max(readDecompressedSize(bytes) + 1, MIN_BUFFER_BYTES), MAX_BUFFER_BYTES)
    return gunzipSync(bytes, { maxOutputLength: maxBytes - 1, chunkSize })
  } catch (error) {
    throw toGunzipError(error, maxBytes)
  }
}

/** The decompressed size of gzip, as the sender wrote it into the last 4 bytes (RFC 1952, ISIZE). It may be wrong. */
export const readDecompressedSize = (bytes: Uint8Array): number =>
  bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(bytes.length - 4, true)

const toGunzipError = (error: unknown, maxBytes: number): HttpError =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    ? bodyTooLarge(maxBytes)
    : badRequest(
        'invalid_gzip',
        `The gzip body is damaged, truncated, or followed by other bytes (${String(error)}). Send one complete gzip stream.`,
        null,
        error,
      )

const toJsonString = (bytes: Uint8Array): string => stripByteOrderMark(decodeUtf8(bytes))
