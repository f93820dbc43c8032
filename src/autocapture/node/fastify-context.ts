import type { RequestContexts } from '../../port/request-context.ts'
import { readRequestContext } from './read-request-context.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { findHeader } from './header-value.ts'
import type { HeaderSource, HeaderRecord } from './header-value.ts'

/** The members of a Fastify request that the agent reads. */
export interface FastifyRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: HeaderRecord
  /** These three respect the server's `trustProxy`. */
  readonly protocol: string
  readonly host: string
  readonly ip: string
  readonly raw: Emitter & Pick<HeaderSource, 'rawHeaders'>
}

export interface FastifyServer {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: { readonly raw: Emitter }, done: () => void) => void,
  ): unknown
}

export type FastifyPlugin = (fastify: FastifyServer, options: unknown, done: () => void) => void

/** Creates a Fastify plugin that runs each request in its own context. */
export const createFastifyContext = (verbs: ContextVerbs, marks: RequestContexts): FastifyPlugin => {
  const enter = createEnterRequest(verbs, marks)
  const plugin: FastifyPlugin = (fastify, _options, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      const readContext = () => {
        const { method, originalUrl: url, protocol, host, ip, headers, raw } = request
        return readRequestContext({
          method,
          url,
          origin: `${protocol}://${host}`,
          ip,
          header: (name) => findHeader({ headers, rawHeaders: raw.rawHeaders }, name),
        })
      }
      enter(readContext, [request.raw, reply.raw], () => next())
    })
    done()
  }
  // Like the package fastify-plugin: the hook applies to the server that registers the plugin, not only inside the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'waymark' })
}
