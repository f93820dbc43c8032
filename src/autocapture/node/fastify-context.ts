import type { RequestContexts } from '../../port/request-context.ts'
import { contextOfRequest } from './context-of-request.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { headerOf } from './header-text.ts'
import type { Headed, HeaderRecord } from './header-text.ts'

/** What is read of Fastify's requests. */
export interface FastifyRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: HeaderRecord
  /** These three heed the server's `trustProxy`. */
  readonly protocol: string
  readonly host: string
  readonly ip: string
  readonly raw: Emitter & Pick<Headed, 'rawHeaders'>
}

export interface FastifyServer {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: { readonly raw: Emitter }, done: () => void) => void,
  ): unknown
}

export type FastifyPlugin = (fastify: FastifyServer, options: unknown, done: () => void) => void

/** Of each request that Fastify handles: a plugin. */
export const createFastifyContext = (verbs: ContextVerbs, marks: RequestContexts): FastifyPlugin => {
  const enter = createEnterRequest(verbs, marks)
  const plugin: FastifyPlugin = (fastify, _options, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      const tell = () => {
        const { method, originalUrl: url, protocol, host, ip, headers, raw } = request
        return contextOfRequest({
          method,
          url,
          origin: `${protocol}://${host}`,
          ip,
          header: (name) => headerOf({ headers, rawHeaders: raw.rawHeaders }, name),
        })
      }
      enter(tell, [request.raw, reply.raw], () => next())
    })
    done()
  }
  // What the package fastify-plugin does: the hook counts for the server that registers it, not for the plugin alone.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'waymark' })
}
