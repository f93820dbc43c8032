import type { RequestContexts } from '../../port/request-context.ts'
import { readRequestContext } from './read-request-context.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs, Emitter } from './enter-request.ts'
import { findHeader, cleanHeaderValue } from './header-value.ts'
import type { HeaderSource } from './header-value.ts'

/** The members that the agent reads from requests of `node:http`, `node:https` and the compatibility API of `node:http2`. */
export interface HttpRequest extends Emitter, HeaderSource {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean }
}

/** Options for requests that no framework has parsed. */
export interface RequestOptions<Request> {
  /**
   * Returns the client's IP address for `$ip`. Behind a proxy of your own, return the header that it sets. Default: the address of the
   * connection; on edge runtimes, none.
   */
  readonly ip?: ((request: Request) => string | readonly string[] | null | undefined) | undefined
}

/** Wraps a listener of `http.createServer` so that each request runs in its own context. */
export const createHttpContext = <Request extends HttpRequest, Response extends Emitter, T>(
  verbs: ContextVerbs,
  marks: RequestContexts,
  listener: (request: Request, response: Response) => T,
  { ip = ({ socket }) => socket.remoteAddress }: RequestOptions<Request> = {},
): ((request: Request, response: Response) => T) => {
  const enter = createEnterRequest(verbs, marks)
  return (request, response) => {
    const readContext = () => {
      const { method, url, socket } = request
      const header = (name: string): unknown => findHeader(request, name)
      const host = cleanHeaderValue(header('host') ?? header(':authority'))
      const origin = host && `${socket.encrypted ? 'https' : 'http'}://${host}`
      return readRequestContext({ method, url, origin, ip: cleanHeaderValue(ip(request)), header })
    }
    return enter(readContext, [request, response], () => listener(request, response))
  }
}
