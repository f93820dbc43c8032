import type { Clock } from '../../port/clock.ts'
import { noop } from '../../port/noop.ts'
import type { Send, SendResponse } from '../../port/send.ts'
import { withTimeout } from '../../port/with-timeout.ts'

/**
 * Sends requests by `fetch`, without credentials. Every failure is a response of status 0, and so are two more cases:
 *
 * - the body has not arrived within the timeout;
 * - a redirect, because it leads to another server (such as a login page), or turns the POST into a GET.
 *
 * @param clock Limits the time of a request.
 * @param customFetch Replaces the platform's `fetch`, which is looked up at each call.
 */
export const createSend =
  (clock: Clock, customFetch?: typeof fetch): Send =>
  async ({ url, body, contentType, timeoutMs, keepalive = false }) => {
    const abort = new AbortController()
    const run = async (): Promise<SendResponse> => {
      const response = await (customFetch ?? globalThis.fetch)(url, {
        method: body ? 'POST' : 'GET',
        headers: { 'Content-Type': contentType },
        body: (body as BodyInit) || null,
        credentials: 'omit',
        redirect: 'error',
        signal: abort.signal,
        keepalive,
      })
      return { status: response.status, body: await response.text(), retryAfter: response.headers.get('retry-after') }
    }
    // Does not wait for the abort, because a custom `fetch` may ignore the signal.
    const response = await withTimeout(clock, timeoutMs, run().catch(noop))
    if (response) return response
    abort.abort()
    return { status: 0, body: '', retryAfter: null }
  }
