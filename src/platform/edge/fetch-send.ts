import type { Clock } from '../../port/clock.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { storesResponses } from './stores-responses.ts'

const NO_RESPONSE: SendResponse = { status: 0, body: '', retryAfter: null, etag: null }

/** Default limit of a response's body; responses about events and one user's flags are far smaller. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

export interface FetchSendOptions {
  /** Limits the time of a request. */
  readonly clock: Clock
  /** Replaces the platform's `fetch`, which is looked up at each call. */
  readonly fetch?: typeof fetch | undefined
  /** See `storesResponses`. */
  readonly platformFetch?: typeof fetch | undefined
  /** Reads the body of a response. Undefined: it is longer than `maxBytes`. */
  readonly readBody: (response: Response, maxBytes: number) => Promise<string | undefined>
  /** Headers of every request, such as `User-Agent`. The headers of a single request take precedence. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends requests by `fetch` on any runtime. It passes no setting that an edge runtime refuses: workerd throws for `credentials` and for
 * `redirect: 'error'`.
 *
 * Every failure is a response of status 0, and so are three more cases:
 *
 * - the body has not arrived within the timeout;
 * - the body is too long;
 * - a redirect, because it leads to another server (such as a login page), or turns the POST into a GET.
 */
export const createFetchSend =
  ({ clock, fetch: customFetch, platformFetch, readBody, headers: defaultHeaders }: FetchSendOptions): Send =>
  ({ url, body, contentType, headers, timeoutMs, aborts, noStore, maxResponseBytes = MAX_RESPONSE_BYTES }) =>
    new Promise((resolve) => {
      const fail = (): void => resolve(NO_RESPONSE)
      // Some engines for apps have none.
      const controller = typeof AbortController === 'undefined' ? undefined : new AbortController()
      // Does not wait for the abort, because a custom `fetch` may ignore the signal.
      const abort = (): void => {
        fail()
        controller?.abort()
        aborts?.delete(abort)
      }
      const run = async (): Promise<void> => {
        const cancel = clock.after(timeoutMs, abort)
        aborts?.add(abort)
        try {
          const usedFetch = customFetch ?? fetch
          const response = await usedFetch(url, {
            method: body ? 'POST' : 'GET',
            headers: { ...defaultHeaders, ...(body && { 'Content-Type': contentType }), ...headers },
            ...(body && { body: body as BodyInit }),
            redirect: 'manual',
            ...(noStore && storesResponses(usedFetch, platformFetch) && { cache: 'no-store' }),
            signal: controller?.signal ?? null,
          })
          // The abort closes the connection, because the body of a redirect is not needed.
          if (isRedirect(response)) return abort()
          const responseBody = await readBody(response, maxResponseBytes)
          if (responseBody === undefined) return abort()
          resolve({
            status: response.status,
            body: responseBody,
            retryAfter: response.headers.get('retry-after'),
            etag: response.headers.get('etag'),
          })
        } finally {
          cancel()
          aborts?.delete(abort)
        }
      }
      void run().catch(fail)
    })

/**
 * Detects a redirect that is visible, one that the runtime hides (browsers give it status 0), and one that a custom `fetch` has followed.
 * Status 304 is not a redirect.
 */
const isRedirect = ({ status, type, redirected }: Response): boolean =>
  redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
