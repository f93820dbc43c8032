import { createEdgeContext } from '../autocapture/node/edge-context.ts'
import type { EdgeVerbs, WebRequest } from '../autocapture/node/edge-context.ts'
import type { ContextVerbs, Emitter } from '../autocapture/node/enter-request.ts'
import { createExpressContext } from '../autocapture/node/express-context.ts'
import type { ExpressMiddleware } from '../autocapture/node/express-context.ts'
import { createFastifyContext } from '../autocapture/node/fastify-context.ts'
import type { FastifyPlugin } from '../autocapture/node/fastify-context.ts'
import { createHttpContext } from '../autocapture/node/http-context.ts'
import type { HttpRequest, RequestOptions } from '../autocapture/node/http-context.ts'
import { createRequestContexts } from '../platform/edge/request-contexts.ts'

/**
 * Middleware for Express: what the handlers of a request capture and read belongs to the user and the session that its tracing headers name, and
 * events tell of the request (`$current_url`, `$request_method`, `$request_path`, `$user_agent`, `$ip`). What the code says is stronger. Anybody can
 * write these headers: never take them for a sign-in.
 *
 * @example app.use(expressContext(waymark))
 */
export const expressContext = (waymark: ContextVerbs): ExpressMiddleware =>
  createExpressContext(waymark, createRequestContexts())

/**
 * The same for Fastify, as a plugin that counts for the whole server.
 *
 * @example await app.register(fastifyContext(waymark))
 */
export const fastifyContext = (waymark: ContextVerbs): FastifyPlugin =>
  createFastifyContext(waymark, createRequestContexts())

/**
 * The same for Node's own servers.
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
 * The same for handlers that answer a `Request` (Cloudflare Workers, Next.js, Deno, Bun, Hono). Where the handler is given something that can
 * `waitUntil`, the runtime is asked to wait until what was captured is delivered.
 *
 * @example export default { fetch: edgeContext(waymark, async (request, env, context) => new Response('hello')) }
 */
export const edgeContext = <Request extends WebRequest, Rest extends readonly unknown[], T>(
  waymark: EdgeVerbs,
  handler: (request: Request, ...rest: Rest) => T,
  options?: RequestOptions<Request>,
): ((request: Request, ...rest: Rest) => T) => createEdgeContext(waymark, createRequestContexts(), handler, options)
