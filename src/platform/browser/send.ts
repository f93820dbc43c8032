import type { Clock } from '../../port/clock.ts'
import type { Send } from '../../port/send.ts'

/**
 * Asks by `fetch`, without credentials. Whatever goes wrong is an answer of status 0; so is an answer whose body has
 * not arrived in time, and a redirect: behind it answers somebody else (a login page), or nobody, for it turns a POST into a GET.
 *
 * @param clock Ends requests that take too long.
 * @param fetcher In place of the platform's `fetch`, which is looked up at each call.
 */
export const createSend =
  (clock: Clock, fetcher?: typeof fetch): Send =>
  ({ url, body, contentType, timeoutMs, keepalive }) =>
    new Promise((resolve) => {
      const fail = (): void => resolve({ status: 0, body: '', retryAfter: null })
      const abort = new AbortController()
      // Does not wait for the abort: a replaced `fetch` may not know the signal.
      const cancel = clock.after(timeoutMs, () => {
        fail()
        abort.abort()
      })
      const run = async (): Promise<void> => {
        const answer = await (fetcher ?? fetch)(url, {
          method: body ? 'POST' : 'GET',
          headers: { 'Content-Type': contentType },
          body: (body as BodyInit) || null,
          credentials: 'omit',
          redirect: 'error',
          signal: abort.signal,
          keepalive: !!keepalive,
        })
        resolve({ status: answer.status, body: await answer.text(), retryAfter: answer.headers.get('retry-after') })
      }
      void run().catch(fail).then(cancel)
    })
