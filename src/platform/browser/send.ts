import type { Clock } from '../../port/clock.ts'
import type { HostMark } from '../../lib/host-mark.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { withoutSlash } from '../../lib/without-slash.ts'

/** Minimum time between two attempts with the other form of the same URL. An outage and a blocker look like a redirect. */
const OTHER_FORM_INTERVAL_MS = 60_000

/** A page cannot tell a redirect from a lost connection. */
const FAILURE = 'nothing, or a redirect'

/**
 * Sends requests by `fetch`, without credentials. Every failure is a response of status 0, and so are two more cases:
 *
 * - the body has not arrived within the timeout;
 * - a redirect, because it leads to another server (such as a login page), or turns the POST into a GET.
 *
 * Some proxies redirect `/batch/` to `/batch`, and a page cannot read where a redirect leads. So a request without a response is repeated
 * with the other form of its URL, and the form that works is remembered.
 *
 * @param clock Limits the time of a request.
 * @param customFetch Replaces the platform's `fetch`, which is looked up at each call.
 * @param bareHost Set while URLs of this host are requested without the slash at their end. Default: all URLs stay as they are.
 * @param isOfService Whether the service may have answered. Another server, without the slash, would take events that it does not store. Default:
 *   any server may be the service.
 */
export const createSend = (
  clock: Clock,
  customFetch?: typeof fetch,
  bareHost?: HostMark,
  isOfService: (response: SendResponse) => boolean = ({ status }) => !!status,
): Send => {
  /** When the other form of a URL was last tried, in milliseconds since 1970. */
  const triedAt: Record<string, number> = {}

  return async ({ url, body, contentType, timeoutMs, keepalive = false }) => {
    const abort = new AbortController()
    const request = async (isBare: boolean | undefined): Promise<SendResponse> => {
      try {
        const response = await (customFetch ?? globalThis.fetch)(isBare ? withoutSlash(url) : url, {
          method: body ? 'POST' : 'GET',
          headers: { 'Content-Type': contentType },
          body: (body as BodyInit) || null,
          credentials: 'omit',
          redirect: 'error',
          signal: abort.signal,
          keepalive,
        })
        return { status: response.status, body: await response.text(), retryAfter: response.headers.get('retry-after') }
      } catch {
        return { status: 0, body: '', retryAfter: null, failure: FAILURE }
      }
    }
    const run = async (): Promise<SendResponse> => {
      const hasOtherForm = bareHost && url.startsWith(bareHost.host) && withoutSlash(url) !== url
      const isBare = hasOtherForm && bareHost.isSet()
      const response = await request(isBare)
      const now = clock.now()
      // Another server may take only the usual form, and have something else without the slash.
      const isWrongForm = isBare ? !isOfService(response) : !response.status
      if (
        !hasOtherForm ||
        !isWrongForm ||
        abort.signal.aborted ||
        Math.abs(now - triedAt[url]!) < OTHER_FORM_INTERVAL_MS
      )
        return response
      triedAt[url] = now
      const otherResponse = await request(!isBare)
      if (!isOfService(otherResponse)) return response
      bareHost.set(!isBare)
      return otherResponse
    }
    // Does not wait for the abort, because a custom `fetch` may ignore the signal.
    const response = await withTimeout(clock, timeoutMs, run())
    if (response) return response
    abort.abort()
    return { status: 0, body: '', retryAfter: null }
  }
}
