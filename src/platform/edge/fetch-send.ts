import type { Clock } from '../../port/clock.ts'
import type { Send, SendAnswer } from '../../port/send.ts'
import { readBody } from './read-body.ts'

const NOTHING: SendAnswer = { status: 0, body: '', retryAfter: null, etag: null }

/** Bytes of an answer's body where the request does not say: answers about events and one user's flags are far smaller. */
const MAX_BYTES = 8 * 1024 * 1024

/** What the adapter works with. */
export interface FetchSendOptions {
  /** Ends requests that take too long. */
  readonly clock: Clock
  /** In place of the platform's `fetch`, which is looked up at each call. */
  readonly fetch?: typeof fetch | undefined
  /** Go along with every request, such as `User-Agent`; a request's own win. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Asks by `fetch`, wherever there is one: it names no setting that a runtime at the edge refuses (workerd throws at `credentials` and at
 * `redirect: 'error'`). Whatever goes wrong is an answer of status 0; so is an answer whose body has not arrived in time or is too long, and a redirect:
 * behind it answers somebody else (a login page), or nobody, for it turns a POST into a GET.
 */
export const createFetchSend =
  ({ clock, fetch: given, headers: always }: FetchSendOptions): Send =>
  ({ url, body, contentType, headers, timeoutMs, ends, maxBytes = MAX_BYTES }) =>
    new Promise((resolve) => {
      const fail = (): void => resolve(NOTHING)
      const abort = new AbortController()
      // Does not wait for the abort: a replaced `fetch` may not know the signal.
      const giveUp = (): void => {
        fail()
        abort.abort()
        ends?.delete(giveUp)
      }
      const run = async (): Promise<void> => {
        const cancel = clock.after(timeoutMs, giveUp)
        ends?.add(giveUp)
        try {
          const answer = await (given ?? fetch)(url, {
            method: body ? 'POST' : 'GET',
            headers: { ...always, ...(body && { 'Content-Type': contentType }), ...headers },
            ...(body && { body: body as BodyInit }),
            redirect: 'manual',
            signal: abort.signal,
          })
          if (isRedirect(answer)) {
            // Its body is of no interest: lets go of the connection.
            return giveUp()
          }
          const text = await readBody(answer, maxBytes)
          if (text === undefined) return giveUp()
          resolve({
            status: answer.status,
            body: text,
            retryAfter: answer.headers.get('retry-after'),
            etag: answer.headers.get('etag'),
          })
        } finally {
          cancel()
          ends?.delete(giveUp)
        }
      }
      void run().catch(fail)
    })

/** Seen, hidden by the runtime (a browser's has status 0), or followed by a `fetch` that does not know better. 304 is none. */
const isRedirect = ({ status, type, redirected }: Response): boolean =>
  redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
