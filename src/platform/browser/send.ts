import type { Clock } from '../../port/clock.ts'
import type { Send } from '../../port/send.ts'

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
  ({ url, body, contentType, timeoutMs, keepalive }) =>
    new Promise((resolve) => {
      const fail = (): void => resolve({ status: 0, body: '', retryAfter: null })
      const abort = new AbortController()
      // Does not wait for the abort, because a custom `fetch` may ignore the signal.
      const cancel = clock.after(timeoutMs, () => {
        fail()
        abort.abort()
      })
      const run = async (): Promise<void> => {
        const response = await (customFetch ?? fetch)(url, {
          method: body ? 'POST' : 'GET',
          headers: { 'Content-Type': contentType },
          body: (body as BodyInit) || null,
          credentials: 'omit',
          redirect: 'error',
          signal: abort.signal,
          keepalive: !!keepalive,
        })
        resolve({
          status: response.status,
          body: await response.text(),
          retryAfter: response.headers.get('retry-after'),
        })
      }
      void run().catch(fail).then(cancel)
    })
