import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { ApiError } from '../../wire/error.ts'
import { HttpError, bodyTooLarge, unavailable } from '../http-error.ts'
import { classifyFileError } from '../store/sqlite/classify-file-error.ts'
import { isPostgresUnavailable } from '../store/metadata/postgres/is-unavailable.ts'
import type { FileFault } from '../store/sqlite/classify-file-error.ts'

/** Server options that send the service's JSON error for failures before routing. */
export const earlyErrorOptions: Pick<FastifyServerOptions, 'frameworkErrors' | 'clientErrorHandler'> = {
  frameworkErrors: (error, _request, reply) => {
    // The raw response, because no route matched and so no reply type fits.
    reply.hijack()
    const isUrl = error.code === 'FST_ERR_BAD_URL'
    const code = isUrl ? 'malformed_url' : 'malformed_request'
    const detail = isUrl ? 'The URL path is malformed; percent-encode it as UTF-8.' : error.message
    const body = JSON.stringify(createRequestErrorBody(code, detail))
    reply.raw
      .writeHead(error.statusCode ?? 400, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      .end(body)
  },
  clientErrorHandler: (error, socket) => {
    if (!socket.writable) return
    const status = EARLY_STATUS[error.code ?? ''] ?? 400
    const detail = EARLY_DETAILS[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.'
    const body = JSON.stringify(createRequestErrorBody('malformed_request', detail))
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  },
}

/** The status by Node's error code; 400 for all others. */
const EARLY_STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

const EARLY_DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large. Send fewer or shorter headers.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time. Send it again.',
}

/** Sends the service's JSON error for every failure in a route, and for every unknown path. */
export const addErrorHandlers = (
  app: FastifyInstance,
  maxBodyBytes: number,
  onError: (error: unknown) => void,
): void => {
  app.setErrorHandler((error, request, reply) => {
    // The framework closes the connection after a rejected body. A drained body leaves it usable (`http/receive-body.ts`).
    if (request.isDrained) reply.removeHeader('connection')
    const httpError = toHttpError(error, maxBodyBytes)
    // Client errors are reported to the client only; the operator cannot fix them.
    if (httpError.status >= 500) onError(httpError.cause ?? httpError)
    if (httpError.retryAfterSeconds !== null) reply.header('retry-after', httpError.retryAfterSeconds)
    if (httpError.status === 401) reply.header('www-authenticate', 'Bearer')
    return reply.status(httpError.status).send(httpError.body)
  })
  app.setNotFoundHandler((request, reply) =>
    reply
      .status(404)
      // A shared cache would keep the answer of an instance that is older than a page, for a script with a hash.
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .send(
        createRequestErrorBody(
          'not_found',
          `No route or file matches ${request.method} ${request.url}. Check the method and path.`,
        ),
      ),
  )
}

/** A handler for the methods that a path does not support. */
export const createMethodNotAllowedHandler =
  (allowed: string) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .status(405)
      .header('allow', allowed)
      .send(
        createRequestErrorBody('method_not_allowed', `This path does not support ${request.method}; use ${allowed}.`),
      )

const toHttpError = (error: unknown, maxBodyBytes: number): HttpError => {
  if (error instanceof HttpError) return error
  const { statusCode: status = 500, message } = toFailure(error)
  if (status === 413) return bodyTooLarge(maxBodyBytes)
  if (status >= 400 && status < 500)
    return new HttpError(
      status,
      createRequestErrorBody(FRAMEWORK_ERROR_CODES[status] ?? 'malformed_request', message),
      { cause: error },
    )
  const fault = classifyFileError(error) ?? (isPostgresUnavailable(error) ? 'failing' : null)
  if (fault !== null) {
    const code = fault === 'damaged' ? 'metadata_damaged' : 'metadata_unavailable'
    return unavailable(code, METADATA_DETAILS[fault], METADATA_RETRY_SECONDS, error)
  }
  return new HttpError(
    500,
    {
      type: 'server_error',
      code: 'internal_error',
      detail: 'The service failed unexpectedly; its log has the cause. Retry, or ask the operator.',
      attr: null,
    },
    { cause: error },
  )
}

/**
 * Errors of a database here are always errors of the metadata: inbox errors become responses in
 * `ingest/accept-request.ts`, and routes open no other file.
 */
const METADATA_DETAILS: Readonly<Record<FileFault, string>> = {
  damaged: 'The metadata file is damaged. The operator finds the repair steps in the log of the service.',
  full: 'The disk of the service is full. Retry later.',
  read_only: 'The disk of the service is read-only. Retry later.',
  busy: 'Another process has locked the metadata. Retry later.',
  replaced: 'Files of the service were deleted or replaced while it runs. The operator finds what to do in its log.',
  failing: 'The metadata cannot be read or written now. Retry later.',
}

/** About the time an operator needs to notice. */
const METADATA_RETRY_SECONDS = 5

/** The service's codes for errors that the framework raises itself. */
const FRAMEWORK_ERROR_CODES: Readonly<Record<number, string>> = { 415: 'unsupported_content_type' }

const toFailure = (error: unknown): { statusCode?: number; message: string } =>
  error instanceof Error ? error : { message: String(error) }

const createRequestErrorBody = (code: string, detail: string): ApiError => ({
  type: 'invalid_request',
  code,
  detail,
  attr: null,
})
