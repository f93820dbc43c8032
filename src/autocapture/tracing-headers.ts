import { callAll } from '../lib/call-all.ts'
import { TRACING_HEADERS } from '../wire/tracing-header.ts'
import { replaceMethod } from './replace-method.ts'

/**
 * Adds the user's ids to requests to chosen servers. The page's `fetch` and XMLHttpRequest calls get the headers `X-POSTHOG-DISTINCT-ID`
 * and `X-POSTHOG-SESSION-ID`, which replace headers of these names that the page has set. After any error the page's call continues
 * unchanged.
 *
 * @param hostnames Exact host names, in any case, without port or path. Subdomains do not match.
 * @param ids Returns distinct id and session id, in this order, for each request; undefined adds no headers.
 * @param isOurs Whether a URL is that of the agent's own requests. These get no headers, because those would cause a preflight.
 * @returns A function that stops it.
 */
export const startTracingHeaders = (
  hostnames: readonly string[],
  ids: () => readonly string[] | undefined,
  isOurs: (url: string) => boolean,
): (() => void) => {
  const allowedHostnames = new Set(hostnames.map((name) => name.trim().toLowerCase()))
  const isTraced = (url: string): boolean => {
    const { href, hostname } = new URL(url, globalThis.document?.baseURI)
    return allowedHostnames.has(hostname) && !isOurs(href)
  }
  /** Sets the tracing headers. Throws, and sets nothing, when `ids` returns undefined or an id is not a valid header value. */
  const addTracingHeaders = (headers: Headers): Headers => {
    const values = ids()!
    const validHeaders = new Headers(TRACING_HEADERS.map((name, index): [string, string] => [name, values[index]!]))
    validHeaders.forEach((value, name) => headers.set(name, value))
    return headers
  }

  let isStopped = false
  /** Runs `before` before each call of a method. If `before` returns true, the method is not called. An error of `before` is ignored. */
  const intercept = <T extends object>(
    owner: T | undefined,
    name: keyof T,
    before: (args: unknown[], self: XMLHttpRequest) => boolean | void,
  ): (() => void) =>
    replaceMethod(owner, name, (proceed, args, self: XMLHttpRequest) => {
      try {
        if (!isStopped && before(args, self)) return undefined
      } catch {
        // The page's call continues unchanged.
      }
      return proceed()
    })

  /**
   * The tracing headers that the page has set itself, per traced request. All tracing headers are set at `send`: an earlier value could not
   * be replaced, because a second `setRequestHeader` appends its value.
   */
  const callerHeaders = new WeakMap<XMLHttpRequest, Headers>()
  const prototype = globalThis.XMLHttpRequest?.prototype
  return callAll([
    () => (isStopped = true),
    intercept(globalThis, 'fetch', (args) => {
      const [input, init] = args as [Request, RequestInit?]
      if (isTraced(input.url ?? input))
        args[1] = { ...init, headers: addTracingHeaders(new Headers(init?.headers ?? input.headers)) }
    }),
    intercept(prototype, 'open', (args, request) => {
      callerHeaders.delete(request)
      if (isTraced(args[1] as string)) callerHeaders.set(request, new Headers())
    }),
    intercept(prototype, 'setRequestHeader', (args, request) => {
      const [name, value] = args as [string, string]
      const headers = callerHeaders.get(request)
      if (!headers || !TRACING_HEADERS.includes(name.toLowerCase())) return false
      headers.append(name, value)
      return true
    }),
    intercept(prototype, 'send', (_args, request) => {
      const headers = callerHeaders.get(request)
      callerHeaders.delete(request)
      try {
        if (headers) addTracingHeaders(headers)
      } finally {
        headers?.forEach((value, name) => request.setRequestHeader(name, value))
      }
    }),
  ])
}
