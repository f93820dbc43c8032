import type { RequestContexts } from '../../port/request-context.ts'
import { contextOfRequest } from './context-of-request.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { headerOf, headerText } from './header-text.ts'
import type { Headed } from './header-text.ts'

/** What is read of requests of `node:http`, `node:https` and the compatible part of `node:http2`. */
export interface HttpRequest extends Emitter, Headed {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean }
}

/** How requests are read of which no framework knows more. */
export interface RequestOptions<Request> {
  /**
   * The address that a request comes from, for `$ip`. Behind a proxy of yours: the header that it sets. Default: the connection's address, and at the
   * edge none.
   */
  readonly ip?: ((request: Request) => string | readonly string[] | null | undefined) | undefined
}

/** Of each request that a listener of Node's own server handles. */
export const createHttpContext = <Request extends HttpRequest, Response extends Emitter, T>(
  verbs: ContextVerbs,
  marks: RequestContexts,
  listener: (request: Request, response: Response) => T,
  { ip = ({ socket }) => socket.remoteAddress }: RequestOptions<Request> = {},
): ((request: Request, response: Response) => T) => {
  const enter = createEnterRequest(verbs, marks)
  return (request, response) => {
    const tell = () => {
      const { method, url, socket } = request
      const header = (name: string): unknown => headerOf(request, name)
      const host = headerText(header('host') ?? header(':authority'))
      const origin = host && `${socket.encrypted ? 'https' : 'http'}://${host}`
      return contextOfRequest({ method, url, origin, ip: headerText(ip(request)), header })
    }
    return enter(tell, [request, response], () => listener(request, response))
  }
}
