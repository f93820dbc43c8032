import { createEdgeContext } from '../autocapture/node/edge-context.ts'
import type { EdgeVerbs, WebRequest } from '../autocapture/node/edge-context.ts'
import type { ContextVerbs, Emitter } from '../autocapture/node/enter-request.ts'
import { createExpressContext } from '../autocapture/node/express-context.ts'
import type { ExpressMiddleware } from '../autocapture/node/express-context.ts'
import { createFastifyContext } from '../autocapture/node/fastify-context.ts'
import type { FastifyPlugin } from '../autocapture/node/fastify-context.ts'
import { createHttpContext } from '../autocapture/node/http-context.ts'
import type { HttpRequest, RequestOptions } from '../autocapture/node/http-context.ts'
import { createRequestContexts } from '../platform/web/request-contexts.ts'

/**
 * Middleware for Express. Captures and reads inside a request belong to the user and the session of its tracing headers. Events describe
 * the request (`$current_url`, `$request_method`, `$request_path`, `$user_agent`, `$ip`). Values that the application sets win. Any client
 * can set these headers: never use them for authentication.
 *
 * @example app.use(expressContext(waymark))
 */
export const expressContext = (waymark: ContextVerbs): ExpressMiddleware =>
  createExpressContext(waymark, createRequestContexts())

/**
 * The same as `expressContext` for Fastify: a plugin for the whole server.
 *
 * @example await app.register(fastifyContext(waymark))
 */
export const fastifyContext = (waymark: ContextVerbs): FastifyPlugin =>
  createFastifyContext(waymark, createRequestContexts())

/**
 * The same as `expressContext` for listeners of `http.createServer`.
 *
 * @example createServer(httpContext(waymark, (request, response) => response.end('hello')))
 */
export const httpContext = <Request extends HttpRequest, Response extends Emitter, T>(
  waymark: ContextVerbs,
  listener: (request: Request, response: Response) => T,
  options?: RequestOptions<Request>,
): ((request: Request, response: Response) => T) =>
  createHttpContext(waymark, createRequestContexts(), listener, options)

/**
 * The same as `expressContext` for handlers of a web `Request` (Cloudflare Workers, Next.js, Deno, Bun, Hono). If the handler receives an
 * object with `waitUntil`, the runtime waits until captured events are delivered.
 *
 * @example export default { fetch: edgeContext(waymark, async (request, env, context) => new Response('hello')) }
 */
export const edgeContext = <Request extends WebRequest, Rest extends readonly unknown[], T>(
  waymark: EdgeVerbs,
  handler: (request: Request, ...rest: Rest) => T,
  options?: RequestOptions<Request>,
): ((request: Request, ...rest: Rest) => T) => createEdgeContext(waymark, createRequestContexts(), handler, options)
