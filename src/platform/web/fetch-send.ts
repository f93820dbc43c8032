import type { Clock } from '../../port/clock.ts'
import { isMissingPath } from '../../lib/is-missing-path.ts'
import { noop } from '../../lib/noop.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { withoutSlash } from '../../lib/without-slash.ts'
import { redirectTarget } from './redirect-target.ts'
import { storesResponses } from './stores-responses.ts'

const NO_RESPONSE: SendResponse = { status: 0, body: '', retryAfter: null, etag: null }

/** Default limit of a response's body; responses about events and one user's flags are far smaller. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

/** Maximum redirects of one request. */
const MAX_REDIRECTS = 3

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
 * - a redirect that leads to another origin, or turns a POST into a GET.
 *
 * Some proxies redirect `/batch/` to `/batch`. Such a request is sent again to its target on the same origin, and later ones go there at
 * once.
 */
export const createFetchSend = ({
  clock,
  fetch: customFetch,
  platformFetch,
  readBody,
  headers: defaultHeaders,
}: FetchSendOptions): Send => {
  /** The other form of a URL, to which a redirect led and which worked. */
  const targets = new Map<string, string>()

  return ({ url, body, contentType, headers, timeoutMs, aborts, noStore, maxResponseBytes = MAX_RESPONSE_BYTES }) =>
    new Promise((resolve) => {
      const fail = (failure?: string): void => resolve({ ...NO_RESPONSE, failure })
      // Some engines for apps have none.
      const controller = typeof AbortController === 'undefined' ? undefined : new AbortController()
      // Does not wait for the abort, because a custom `fetch` may ignore the signal.
      const abort = (failure?: string): void => {
        fail(failure)
        controller?.abort()
        aborts?.delete(abort)
      }
      const run = async (): Promise<void> => {
        const cancel = clock.after(timeoutMs, abort)
        aborts?.add(abort)
        let target = targets.get(url) ?? url
        const request = async (): Promise<Response> => {
          const usedFetch = customFetch ?? fetch
          return usedFetch(target, {
            method: body ? 'POST' : 'GET',
            headers: { ...defaultHeaders, ...(body && { 'Content-Type': contentType }), ...headers },
            ...(body && { body: body as BodyInit }),
            redirect: 'manual',
            ...(noStore &&
              storesResponses(usedFetch, customFetch ? undefined : platformFetch) && { cache: 'no-store' }),
            signal: controller?.signal ?? null,
          })
        }
        // If this form fails, the next request begins with the usual one.
        targets.delete(url)
        try {
          let response = await request()
          for (let redirects = 0; isRedirect(response); redirects++) {
            const location = response.headers.get('location')
            // Some runtimes hide where a redirect leads.
            const isHidden = response.type === 'opaqueredirect'
            const next = redirectTarget(target, response.status, isHidden ? withoutSlash(target) : location)
            // The abort closes the connection, because the body of a redirect is not needed.
            if (!next || redirects === MAX_REDIRECTS) return abort(describeRedirect(response, location))
            void response.body?.cancel().catch(noop)
            target = next
            response = await request()
          }
          const responseBody = await readBody(response, maxResponseBytes)
          if (responseBody === undefined) return abort()
          const hasWorked = response.status < 500 && !isMissingPath(response.status)
          if (target !== url && hasWorked && withoutSlash(target) === withoutSlash(url)) targets.set(url, target)
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
      void run().catch(() => fail())
    })
}

/** A status below 300 is that of another page: a custom `fetch` has followed the redirect. */
const describeRedirect = ({ status }: Response, location: string | null): string =>
  `a redirect${status < 300 ? '' : ` ${status}`}${location ? ` to ${location}` : ''}`

/**
 * Detects a redirect that is visible, one that the runtime hides (browsers give it status 0), and one that a custom `fetch` has followed.
 * Status 304 is not a redirect.
 */
const isRedirect = ({ status, type, redirected }: Response): boolean =>
  redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
