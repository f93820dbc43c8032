import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { ApiError } from '../wire/error.ts'
import { Refusal, tooLarge, unavailable } from './refusal.ts'
import { fileFault } from './store/sqlite/file-fault.ts'
import type { FileFault } from './store/sqlite/file-fault.ts'

/** Server options that give failures before any route the service's JSON error as their body. */
export const earlyErrors: Pick<FastifyServerOptions, 'frameworkErrors' | 'clientErrorHandler'> = {
  frameworkErrors: (error, _request, reply) => {
    // The raw response: no route was found, so no reply type fits.
    reply.hijack()
    const isUrl = error.code === 'FST_ERR_BAD_URL'
    const code = isUrl ? 'malformed_url' : 'malformed_request'
    const body = JSON.stringify(requestError(code, isUrl ? 'The address is not well-formed.' : error.message))
    reply.raw
      .writeHead(error.statusCode ?? 400, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      .end(body)
  },
  clientErrorHandler: (error, socket) => {
    if (!socket.writable) return
    const status = EARLY_STATUS[error.code ?? ''] ?? 400
    const body = JSON.stringify(requestError('malformed_request', 'This request could not be read as HTTP.'))
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  },
}

const EARLY_STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Gives every failure in a route, and every path and method without one, the service's JSON error as its body. */
export const answerErrors = (app: FastifyInstance, maxBodyBytes: number, onError: (error: unknown) => void): void => {
  app.setErrorHandler((error, request, reply) => {
    // The framework closes where a body was refused; see `http/receive-body.ts` for what comes of the rest of it.
    if (request.isDrained) reply.removeHeader('connection')
    const refusal = toRefusal(error, maxBodyBytes)
    // What is the client's fault is told to the client alone.
    if (refusal.status >= 500) onError(refusal.cause ?? refusal)
    if (refusal.retryAfterSeconds !== null) reply.header('retry-after', refusal.retryAfterSeconds)
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
    return reply.status(refusal.status).send(refusal.body)
  })
  app.setNotFoundHandler((request, reply) =>
    reply.status(404).send(requestError('not_found', `There is nothing at ${request.method} ${request.url}.`)),
  )
}

/** A handler for the methods that a path does not take. */
export const refuseMethod =
  (allowed: string) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .status(405)
      .header('allow', allowed)
      .send(requestError('method_not_allowed', `${request.method} is not allowed here; use ${allowed}.`))

const toRefusal = (error: unknown, maxBodyBytes: number): Refusal => {
  if (error instanceof Refusal) return error
  const { statusCode: status = 500, message } = toFailure(error)
  if (status === 413) return tooLarge(maxBodyBytes)
  if (status >= 400 && status < 500)
    return new Refusal(status, requestError(CODES[status] ?? 'malformed_request', message), { cause: error })
  const fault = fileFault(error)
  if (fault !== null) {
    const code = fault === 'damaged' ? 'metadata_damaged' : 'metadata_unavailable'
    return unavailable(code, METADATA_DETAILS[fault], METADATA_RETRY_SECONDS, error)
  }
  return new Refusal(
    500,
    { type: 'server_error', code: 'internal_error', detail: 'Something in the service failed.', attr: null },
    { cause: error },
  )
}

/** Which file it is may be said: the inbox refuses by itself, and no route opens another. */
const METADATA_DETAILS: Readonly<Record<FileFault, string>> = {
  damaged: 'The metadata is damaged; the operator finds in the log of the service what to do.',
  full: 'The disk has no room for this. Send it again later.',
  read_only: 'The disk cannot be written now. Send this again later.',
  busy: 'The metadata is held by another process. Send this again later.',
  failing: 'The metadata cannot be used now. Send this again later.',
}

/** When a client should come again: about what an operator needs to notice. */
const METADATA_RETRY_SECONDS = 5

/** What the framework refuses by itself, in the service's words. */
const CODES: Readonly<Record<number, string>> = { 415: 'unsupported_content_type' }

const toFailure = (error: unknown): { statusCode?: number; message: string } =>
  error instanceof Error ? error : { message: String(error) }

const requestError = (code: string, detail: string): ApiError => ({ type: 'invalid_request', code, detail, attr: null })
