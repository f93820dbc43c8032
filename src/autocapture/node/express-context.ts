import type { RequestContexts } from '../../port/request-context.ts'
import { contextOfRequest } from './context-of-request.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { headerOf } from './header-text.ts'
import type { Headed } from './header-text.ts'

/** What is read of Express's requests. */
export interface ExpressRequest extends Emitter, Headed {
  readonly method: string
  readonly originalUrl: string
  /** These three heed the application's `trust proxy`. */
  readonly protocol: string
  readonly hostname?: string | undefined
  readonly ip?: string | undefined
}

export type ExpressMiddleware = (request: ExpressRequest, response: Emitter, next: () => void) => void

/** Of each request that Express handles. */
export const createExpressContext = (verbs: ContextVerbs, marks: RequestContexts): ExpressMiddleware => {
  const enter = createEnterRequest(verbs, marks)
  return (request, response, next) => {
    const { method, originalUrl: url, protocol, ip } = request
    const tell = () =>
      contextOfRequest({
        method,
        url,
        origin: `${protocol}://${hostOf(request)}`,
        ip,
        header: (name) => headerOf(request, name),
      })
    enter(tell, [request, response], () => next())
  }
}

/** With its port, which `hostname` leaves out; `host` has it in Express 5, and warns of itself in 4. */
const hostOf = ({ hostname = '', headers: { host } }: ExpressRequest): string =>
  typeof host === 'string' && host.startsWith(`${hostname}:`) ? host : hostname
