import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { refuseMethod } from '../errors.ts'
import { readableType } from './request-body.ts'

/** Path and query parameters are texts, whatever they are worth. */
export type Texts = Readonly<Record<string, string | undefined>>

/** A request with its parameters. */
export type Request = FastifyRequest<{ Params: Texts; Querystring: Texts }>

/** Answers a request by what it returns or resolves to. May throw `Refusal`. */
export type Handler = (request: Request, reply: FastifyReply) => unknown

/** Adds a handler for one method under each of the paths; every other method is refused there. */
export type AddRoute = (paths: readonly string[], handler: Handler, options?: RouteShorthandOptions) => void

/** Makes the functions that add routes for reading and for sending. */
export const createRoutes = (app: FastifyInstance): { readonly get: AddRoute; readonly post: AddRoute } => ({
  get: (paths, handler, options = {}) => {
    for (const url of paths) {
      app.get<{ Params: Texts; Querystring: Texts }>(url, options, handler)
      app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod('GET') })
    }
  },
  post: (paths, handler, options = {}) => {
    for (const url of paths) {
      app.post<{ Params: Texts; Querystring: Texts }>(url, { onRequest: readableType, ...options }, handler)
      app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod('POST') })
    }
  },
})
