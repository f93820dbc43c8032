import type { ApiError } from '../wire/error.ts'

/**
 * A 4xx or 5xx response. Thrown by route handlers and the code that they call; `http/error-handlers.ts` sends it as the service's
 * JSON error.
 */
export class HttpError extends Error {
  /** The HTTP status. */
  readonly status: number
  readonly body: ApiError
  /** Seconds for the `Retry-After` header, or null for none. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: ApiError, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(body.detail, { cause: options.cause })
    this.name = 'HttpError'
    this.status = status
    this.body = body
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

/** 400: the request's content is wrong; a retry does not help. */
export const badRequest = (code: string, detail: string, attr: string | null = null, cause?: unknown): HttpError =>
  new HttpError(400, { type: 'validation_error', code, detail, attr }, { cause })

/** 413: the body has `maxBytes` or more, as sent or after decompression. */
export const bodyTooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, {
    type: 'invalid_request',
    code: 'body_too_large',
    detail: `The body must be smaller than ${maxBytes} bytes, before and after decompression. Send less per request.`,
    attr: null,
  })

/** 401: the key is missing or unknown. */
export const unauthenticated = (code: string, detail: string, attr: string): HttpError =>
  new HttpError(401, { type: 'authentication_error', code, detail, attr })

/** 403: the key is valid but does not allow this request. */
export const forbidden = (code: string, detail: string, attr: string | null = null): HttpError =>
  new HttpError(403, { type: 'authentication_error', code, detail, attr })

/** 404: the resource does not exist, or the key may not see it. */
export const notFound = (detail: string, attr: string | null = null): HttpError =>
  new HttpError(404, { type: 'invalid_request', code: 'not_found', detail, attr })

/** 409: the request is well-formed but conflicts with stored data. */
export const conflict = (code: string, detail: string, attr: string | null = null): HttpError =>
  new HttpError(409, { type: 'invalid_request', code, detail, attr })

/** 503: nothing is wrong with the request; the client can retry after `retryAfterSeconds`. */
export const unavailable = (code: string, detail: string, retryAfterSeconds: number, cause?: unknown): HttpError =>
  new HttpError(503, { type: 'server_error', code, detail, attr: null }, { cause, retryAfterSeconds })

/** 503: too many bodies are in memory or wait to be read. Memory and time free up within a second, as other requests end. */
export const busy = (cause?: unknown): HttpError =>
  unavailable('busy', 'The service is reading too many requests. Retry in a second.', 1, cause)
