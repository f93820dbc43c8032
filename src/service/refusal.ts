import type { ApiError } from '../wire/error.ts'

/** An answer of 4xx or 5xx, thrown anywhere below the routes and turned into the service's JSON error by `app.ts`. */
export class Refusal extends Error {
  /** The HTTP status. */
  readonly status: number
  readonly body: ApiError
  /** Seconds for the `Retry-After` header, or null for none. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: ApiError, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(body.detail, { cause: options.cause })
    this.name = 'Refusal'
    this.status = status
    this.body = body
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

/** 400: the request's content is wrong; sending it again changes nothing. */
export const invalid = (code: string, detail: string, attr: string | null = null, cause?: unknown): Refusal =>
  new Refusal(400, { type: 'validation_error', code, detail, attr }, { cause })

/** 413: the body, as sent or after decompression, is `maxBytes` or more. */
export const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(413, {
    type: 'invalid_request',
    code: 'body_too_large',
    detail: `The body must be smaller than ${maxBytes} bytes, before and after decompression. Send less per request.`,
    attr: null,
  })

/** 401: who is asking is not known. */
export const unauthenticated = (code: string, detail: string, attr: string): Refusal =>
  new Refusal(401, { type: 'authentication_error', code, detail, attr })

/** 403: who is asking is known and may not do this. */
export const forbidden = (code: string, detail: string, attr: string | null = null): Refusal =>
  new Refusal(403, { type: 'authentication_error', code, detail, attr })

/** 404: there is no such thing, or not in this project. */
export const notFound = (detail: string): Refusal =>
  new Refusal(404, { type: 'invalid_request', code: 'not_found', detail, attr: null })

/** 409: the request is well-formed, and what is stored does not allow it now. */
export const conflict = (code: string, detail: string, attr: string | null = null): Refusal =>
  new Refusal(409, { type: 'invalid_request', code, detail, attr })

/** 503: nothing is wrong with the request; the same request will be welcome after `retryAfterSeconds`. */
export const unavailable = (code: string, detail: string, retryAfterSeconds: number, cause?: unknown): Refusal =>
  new Refusal(503, { type: 'server_error', code, detail, attr: null }, { cause, retryAfterSeconds })

/** 503: there is no room or no time for the request now; both come back within a second, as others end. */
export const busy = (cause?: unknown): Refusal =>
  unavailable('busy', 'Too many requests are being read. Send this again in a second.', 1, cause)
