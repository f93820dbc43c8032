import { TRACING_HEADERS } from '../wire/tracing-header.ts'

/**
 * Puts `before` in front of a method. What it does to the arguments the method sees; true means that it has done the whole work; what
 * it throws is as if it had not been there.
 *
 * @returns Ends it: gives the owner its own method back, unless somebody else has replaced it since.
 */
const patch = <T extends object>(
  owner: T | undefined,
  name: keyof T,
  before: (args: unknown[], self: XMLHttpRequest) => boolean | void,
): (() => void) => {
  const original = owner?.[name] as ((...args: unknown[]) => unknown) | undefined
  let isEnded = false
  const patched = function (this: XMLHttpRequest, ...args: unknown[]): unknown {
    try {
      if (!isEnded && before(args, this)) return undefined
    } catch {
      // The page's call goes out as it was made.
    }
    return original!.apply(this, args)
  }
  try {
    if (original) owner![name] = patched as T[keyof T]
  } catch {
    // A page that has frozen its own functions.
  }
  return () => {
    isEnded = true
    if (original && owner![name] === patched) owner![name] = original as T[keyof T]
  }
}

/**
 * Tells chosen servers who asks them: the page's `fetch` and XMLHttpRequest calls carry `X-POSTHOG-DISTINCT-ID` and
 * `X-POSTHOG-SESSION-ID`, in place of what the caller gave under these names. Whatever fails on the way there, the call goes out as
 * the page made it.
 *
 * @param hostnames Exact host names, in any case; subdomains, ports and paths do not count.
 * @param ids Distinct id and session id, in this order, read at each request; undefined: none is to be told.
 * @param isOurs Tells the agent's own requests from the page's: a header more would cost them a preflight.
 * @returns Ends it.
 */
export const startTracingHeaders = (
  hostnames: readonly string[],
  ids: () => readonly string[] | undefined,
  isOurs: (url: string) => boolean,
): (() => void) => {
  const allowed = new Set(hostnames.map((name) => name.trim().toLowerCase()))
  const isTraced = (url: string): boolean => {
    const { href, hostname } = new URL(url, globalThis.document?.baseURI)
    return allowed.has(hostname) && !isOurs(href)
  }
  /** Throws, before anything is set, without ids and for one that no header can carry. */
  const trace = (headers: Headers): Headers => {
    const values = ids()!
    const checked = new Headers(TRACING_HEADERS.map((name, index): [string, string] => [name, values[index]!]))
    checked.forEach((value, name) => headers.set(name, value))
    return headers
  }

  /** What the caller gave under our names, of requests to chosen servers: a header that is set twice would join both values. */
  const held = new WeakMap<XMLHttpRequest, Headers>()
  const requests = globalThis.XMLHttpRequest?.prototype
  const ends = [
    patch(globalThis, 'fetch', (args) => {
      const [input, init] = args as [Request, RequestInit?]
      if (isTraced(input.url ?? input))
        args[1] = { ...init, headers: trace(new Headers(init?.headers ?? input.headers)) }
    }),
    patch(requests, 'open', (args, request) => {
      held.delete(request)
      if (isTraced(args[1] as string)) held.set(request, new Headers())
    }),
    patch(requests, 'setRequestHeader', (args, request) => {
      const [name, value] = args as [string, string]
      const headers = held.get(request)
      if (!headers || !TRACING_HEADERS.includes(name.toLowerCase())) return false
      headers.append(name, value)
      return true
    }),
    patch(requests, 'send', (_args, request) => {
      const headers = held.get(request)
      held.delete(request)
      try {
        if (headers) trace(headers)
      } finally {
        headers?.forEach((value, name) => request.setRequestHeader(name, value))
      }
    }),
  ]
  return () => ends.forEach((end) => end())
}
