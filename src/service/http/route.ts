import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { createMethodNotAllowedHandler } from './error-handlers.ts'
import { normalizeContentType } from './request-body.ts'

/** Path or query parameters, by name. */
export type StringParams = Readonly<Record<string, string | undefined>>

/** A request with its parameters. */
export type Request = FastifyRequest<{ Params: StringParams; Querystring: StringParams }>

/** Handles a request; what it returns or resolves to is the response. May throw `HttpError`. */
export type Handler = (request: Request, reply: FastifyReply) => unknown

/** Adds a handler for one method under each path; all other methods get 405. */
export type AddRoute = (paths: readonly string[], handler: Handler, options?: RouteShorthandOptions) => void

/** Creates the functions that add GET and POST routes. */
export const createRoutes = (app: FastifyInstance): { readonly get: AddRoute; readonly post: AddRoute } => ({
  get: (paths, handler, options = {}) => {
    for (const url of paths) {
      app.get<{ Params: StringParams; Querystring: StringParams }>(url, options, handler)
      app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: createMethodNotAllowedHandler('GET') })
    }
  },
  post: (paths, handler, options = {}) => {
    for (const url of paths) {
      app.post<{ Params: StringParams; Querystring: StringParams }>(
        url,
        { onRequest: normalizeContentType, ...options },
        handler,
      )
      app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: createMethodNotAllowedHandler('POST') })
    }
  },
})
