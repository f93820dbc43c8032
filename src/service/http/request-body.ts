import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../wire/json.ts'
import type { BodyReader } from '../ingest/body-reader.ts'
import { FORM_CONTENT_TYPE, createBodyFormat, isFormContentType } from '../ingest/body-format.ts'
import type { BodyFormat } from '../ingest/body-format.ts'
import { parseJson } from '../ingest/parse-request.ts'
import { HttpError } from '../http-error.ts'

const NO_BYTES = Buffer.alloc(0)

/**
 * A hook that runs before the body is read. It replaces malformed content types, which the framework would reject: bodies
 * are recognised by their content.
 */
export const normalizeContentType = (
  { raw: { headers } }: FastifyRequest,
  _reply: FastifyReply,
  done: () => void,
): void => {
  const type = headers['content-type']
  if (type !== undefined && !isFormContentType(type)) headers['content-type'] = 'application/octet-stream'
  else if (type !== undefined) headers['content-type'] = FORM_CONTENT_TYPE
  done()
}

/** The bytes of a request's body as received; empty without a body. Throws `HttpError` (415) for an unsupported encoding. */
export const readBodyBytes = ({ body, headers }: FastifyRequest): Uint8Array => {
  const encoding = headers['content-encoding']?.trim()
  // Encoding names are case-insensitive, and x-gzip is gzip (RFC 9110, section 8.4.1).
  // Old senders send names that only the protocol defines, such as gzip-js.
  if (encoding !== undefined && !/^((x-)?gzip|gzip-js|lz64|base64|identity|)$/i.test(encoding)) {
    throw new HttpError(415, {
      type: 'invalid_request',
      code: 'unsupported_encoding',
      detail: `Content-Encoding "${encoding}" is not supported; send gzip, or no encoding.`,
      attr: 'content-encoding',
    })
  }
  return body instanceof Uint8Array ? body : NO_BYTES
}

/** How to decode the body of a protocol request, from its headers and query. */
export const readBodyFormat = ({ headers, query }: FastifyRequest): BodyFormat =>
  createBodyFormat({
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    query: query as Readonly<Record<string, unknown>>,
  })

/** Reads the JSON in a request's body. Throws `HttpError`: 413 at `maxBytes` or more, 400 for anything but JSON, 415. */
export type ReadJson = (request: FastifyRequest, maxBytes: number, format?: BodyFormat) => Promise<Json>

/** Creates a `ReadJson` on a body reader. */
export const createJsonReader =
  (bodyReader: Pick<BodyReader, 'readString'>): ReadJson =>
  async (request, maxBytes, format = {}) =>
    parseJson(await bodyReader.readString(readBodyBytes(request), format, maxBytes, request.ip))
