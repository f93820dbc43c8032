import { TRACING_HEADERS } from '../wire/tracing-header.ts'

/**
 * Runs `before` in front of a method of `owner`. The method gets the arguments as `before` has changed them. When `before` returns true,
 * the method is not called. An error of `before` is ignored.
 *
 * @returns A function that restores the method, unless other code has replaced it since.
 */
const patch = <T extends object>(
  owner: T | undefined,
  name: keyof T,
  before: (args: unknown[], self: XMLHttpRequest) => boolean | void,
): (() => void) => {
  const original = owner?.[name] as ((...args: unknown[]) => unknown) | undefined
  let isStopped = false
  const patched = function (this: XMLHttpRequest, ...args: unknown[]): unknown {
    try {
      if (!isStopped && before(args, this)) return undefined
    } catch {
      // The page's call continues unchanged.
    }
    return original!.apply(this, args)
  }
  try {
    if (original) owner![name] = patched as T[keyof T]
  } catch {
    // The page has frozen its own functions.
  }
  return () => {
    isStopped = true
    if (original && owner![name] === patched) owner![name] = original as T[keyof T]
  }
}

/**
 * Adds the user's ids to requests to chosen servers. The page's `fetch` and XMLHttpRequest calls get the headers `X-POSTHOG-DISTINCT-ID`
 * and `X-POSTHOG-SESSION-ID`, which replace the caller's own headers of these names. When anything fails, the call continues unchanged.
 *
 * @param hostnames Exact host names, in any case, without port or path. Subdomains do not match.
 * @param ids Returns distinct id and session id, in this order, for each request; undefined adds no headers.
 * @param isOurs Whether a URL is one of the agent's own requests, for which another header would cause a preflight.
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
  /** Sets the headers. Throws before that when there are no ids, or when an id is not a valid header value. */
  const addTracingHeaders = (headers: Headers): Headers => {
    const values = ids()!
    const valid = new Headers(TRACING_HEADERS.map((name, index): [string, string] => [name, values[index]!]))
    valid.forEach((value, name) => headers.set(name, value))
    return headers
  }

  /**
   * The caller's own headers of our names, per traced request. They are set at `send`, because a header that is set twice joins both
   * values.
   */
  const callerHeaders = new WeakMap<XMLHttpRequest, Headers>()
  const prototype = globalThis.XMLHttpRequest?.prototype
  const stops = [
    patch(globalThis, 'fetch', (args) => {
      const [input, init] = args as [Request, RequestInit?]
      if (isTraced(input.url ?? input))
        args[1] = { ...init, headers: addTracingHeaders(new Headers(init?.headers ?? input.headers)) }
    }),
    patch(prototype, 'open', (args, request) => {
      callerHeaders.delete(request)
      if (isTraced(args[1] as string)) callerHeaders.set(request, new Headers())
    }),
    patch(prototype, 'setRequestHeader', (args, request) => {
      const [name, value] = args as [string, string]
      const headers = callerHeaders.get(request)
      if (!headers || !TRACING_HEADERS.includes(name.toLowerCase())) return false
      headers.append(name, value)
      return true
    }),
    patch(prototype, 'send', (_args, request) => {
      const headers = callerHeaders.get(request)
      callerHeaders.delete(request)
      try {
        if (headers) addTracingHeaders(headers)
      } finally {
        headers?.forEach((value, name) => request.setRequestHeader(name, value))
      }
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
