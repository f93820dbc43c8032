import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../wire/json.ts'
import type { BodyReader } from '../ingest/body-reader.ts'
import { FORM_TYPE, formOf, isForm } from '../ingest/form.ts'
import type { BodyForm } from '../ingest/form.ts'
import { parseJson } from '../ingest/request.ts'
import { Refusal } from '../refusal.ts'

const EMPTY = Buffer.alloc(0)

/** A hook for before a body is read: gives a content type that is none, which the framework refuses, one that it takes. The content tells what it is. */
export const readableType = ({ raw: { headers } }: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
  const type = headers['content-type']
  if (type !== undefined && !isForm(type)) headers['content-type'] = 'application/octet-stream'
  else if (type !== undefined) headers['content-type'] = FORM_TYPE
  done()
}

/** The bytes of a request's body as they arrived, none without a body. Throws `Refusal` (415) for a coding that is none of the protocol's. */
export const bodyBytes = ({ body, headers }: FastifyRequest): Uint8Array => {
  const encoding = headers['content-encoding']?.trim()
  // Names of codings have no case, and x-gzip is gzip (RFC 9110, section 8.4.1). Old senders name the protocol's own forms here.
  if (encoding !== undefined && !/^((x-)?gzip|gzip-js|lz64|base64|identity|)$/i.test(encoding)) {
    throw new Refusal(415, {
      type: 'invalid_request',
      code: 'unsupported_encoding',
      detail: `Content-Encoding "${encoding}" is not read; send gzip or none.`,
      attr: 'content-encoding',
    })
  }
  return body instanceof Uint8Array ? body : EMPTY
}

/** How the body of a request of the protocol is to be read, by its headers and its query. */
export const bodyForm = ({ headers, query }: FastifyRequest): BodyForm =>
  formOf({
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    query: query as Readonly<Record<string, unknown>>,
  })

/** Reads the JSON in a request's body, of the given form. Throws `Refusal`: 413 from `maxBytes` on, 400, 415. */
export type ReadJson = (request: FastifyRequest, maxBytes: number, form?: BodyForm) => Promise<Json>

/** Makes the function that reads JSON by a body reader. */
export const createReadJson =
  (bodyReader: Pick<BodyReader, 'text'>): ReadJson =>
  async (request, maxBytes, form = {}) =>
    parseJson(await bodyReader.text(bodyBytes(request), form, maxBytes, request.ip))
