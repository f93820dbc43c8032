import type { RequestContexts } from '../../port/request-context.ts'
import { contextOfRequest } from './context-of-request.ts'
import { createEnterRequest } from './enter-request.ts'
import type { ContextVerbs } from './enter-request.ts'
import { headerText } from './header-text.ts'
import type { RequestOptions } from './http-context.ts'

/** What is read of the web platform's requests. */
export interface WebRequest {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
}

/** Of an agent, what the handlers of an edge runtime need. */
export interface EdgeVerbs extends ContextVerbs {
  flush(): Promise<void>
}

/**
 * Of each request that a handler answers. Where the runtime hands the handler something that can `waitUntil`, it is asked to wait for the delivery of
 * what was captured: it may stop everything once a request is answered.
 */
export const createEdgeContext = <Request extends WebRequest, Rest extends readonly unknown[], T>(
  verbs: EdgeVerbs,
  marks: RequestContexts,
  handler: (request: Request, ...rest: Rest) => T,
  { ip = () => undefined }: RequestOptions<Request> = {},
): ((request: Request, ...rest: Rest) => T) => {
  const enter = createEnterRequest(verbs, marks)
  return (request, ...rest) => {
    const tell = () => {
      const { method, url, headers } = request
      return contextOfRequest({ method, url, ip: headerText(ip(request)), header: (name) => headers.get(name) })
    }
    let answer: T | undefined
    try {
      return (answer = enter(tell, [], () => handler(request, ...rest)))
    } finally {
      try {
        rest.find(canWait)?.waitUntil(flushAfter(answer, verbs))
      } catch {
        // Refused: the request is answered all the same.
      }
    }
  }
}

/** Cloudflare's execution context, Next's fetch event, Netlify's and Vercel's context. */
interface Waiting {
  waitUntil(work: Promise<unknown>): unknown
}

const canWait = (given: unknown): given is Waiting =>
  typeof (given as Partial<Waiting> | null)?.waitUntil === 'function'

const flushAfter = async (answer: unknown, verbs: EdgeVerbs): Promise<void> => {
  try {
    await answer
  } catch {
    // The handler's own failure is told to whoever called it.
  }
  await verbs.flush()
}
