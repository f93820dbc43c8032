import type { RequestContexts } from '../../port/request-context.ts'
import { readRequestContext } from './read-request-context.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs } from './enter-request.ts'
import { cleanHeaderValue } from './header-value.ts'
import type { RequestOptions } from './http-context.ts'

/** The members of a web `Request` that the agent reads. */
export interface WebRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
}

/** The agent's methods that handlers of an edge runtime need. */
export interface EdgeVerbs extends ContextVerbs {
  flush(): Promise<void>
}

/**
 * Wraps a handler so that each request runs in its own context. An edge runtime may stop the process after the response. If the handler
 * receives an object with `waitUntil`, the runtime waits until the captured events are delivered.
 */
export const createEdgeContext = <Request extends WebRequest, Rest extends readonly unknown[], T>(
  verbs: EdgeVerbs,
  marks: RequestContexts,
  handler: (request: Request, ...rest: Rest) => T,
  { ip = () => undefined }: RequestOptions<Request> = {},
): ((request: Request, ...rest: Rest) => T) => {
  const enter = createEnterRequest(verbs, marks)
  return (request, ...rest) => {
    const readContext = () => {
      const { method, url, headers } = request
      return readRequestContext({ method, url, ip: cleanHeaderValue(ip(request)), header: (name) => headers.get(name) })
    }
    let response: T | undefined
    try {
      return (response = enter(readContext, [], () => handler(request, ...rest)))
    } finally {
      try {
        rest.find(hasWaitUntil)?.waitUntil(flushAfter(response, verbs))
      } catch {
        // The runtime refused to wait. The response must not fail for that.
      }
    }
  }
}

/** Cloudflare's execution context, Next's fetch event, Netlify's and Vercel's context. */
interface WaitUntilContext {
  waitUntil(work: Promise<unknown>): unknown
}

const hasWaitUntil = (value: unknown): value is WaitUntilContext =>
  typeof (value as Partial<WaitUntilContext> | null)?.waitUntil === 'function'

const flushAfter = async (response: unknown, verbs: EdgeVerbs): Promise<void> => {
  try {
    await response
  } catch {
    // The caller of the handler gets this error.
  }
  await verbs.flush()
}
