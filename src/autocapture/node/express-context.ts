import type { RequestContexts } from '../../port/request-context.ts'
import { readRequestContext } from './read-request-context.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { findHeader } from './header-value.ts'
import type { HeaderSource } from './header-value.ts'

/** The members of an Express request that the agent reads. */
export interface ExpressRequest extends Emitter, HeaderSource {
  readonly method: string
  readonly originalUrl: string
  /** These three respect the application's `trust proxy`. */
  readonly protocol: string
  readonly hostname?: string | undefined
  readonly ip?: string | undefined
}

export type ExpressMiddleware = (request: ExpressRequest, response: Emitter, next: () => void) => void

/** Creates Express middleware that runs each request in its own context. */
export const createExpressContext = (verbs: ContextVerbs, marks: RequestContexts): ExpressMiddleware => {
  const enter = createEnterRequest(verbs, marks)
  return (request, response, next) => {
    const { method, originalUrl: url, protocol, ip } = request
    const readContext = () =>
      readRequestContext({
        method,
        url,
        origin: `${protocol}://${readHost(request)}`,
        ip,
        header: (name) => findHeader(request, name),
      })
    enter(readContext, [request, response], () => next())
  }
}

/** The host with its port: `hostname` has no port, and `request.host` is deprecated in Express 4. */
const readHost = ({ hostname = '', headers: { host } }: ExpressRequest): string =>
  typeof host === 'string' && host.startsWith(`${hostname}:`) ? host : hostname
