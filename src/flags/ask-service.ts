import type { Clock } from '../port/clock.ts'
import type { Send, SendAnswer } from '../port/send.ts'
import type { DecideRequest } from '../wire/decide.ts'
import type { FlagsOptions } from './flags-options.ts'

/** First wait before a repeated request, in milliseconds; doubles each time. */
const RETRY_BASE_MS = 300

/** Most repetitions of one request, whatever the options say. */
const MAX_RETRIES = 10

/**
 * One request for flags or for the remote config, with the retries that these have: only for no answer, 502 and 504, and with the
 * same body.
 *
 * @param body None: a GET request.
 * @param isWanted False once nobody wants this answer any more: no retry then.
 * @returns Never rejects.
 */
export const askService = async (
  clock: Clock,
  send: Send,
  options: FlagsOptions,
  path: string,
  body: DecideRequest | undefined,
  isWanted: () => boolean,
): Promise<SendAnswer> => {
  const request = {
    url: options.host + path,
    body: body ? JSON.stringify(body) : '',
    // CORS-simple: text/plain makes no preflight.
    contentType: 'text/plain',
    timeoutMs: options.requestTimeout ?? 10_000,
  }
  let retries = Math.min(options.featureFlagsRequestMaxRetries ?? 1, MAX_RETRIES)
  for (let waitMs = RETRY_BASE_MS; ; waitMs *= 2) {
    const answer = await send(request)
    if (![0, 502, 504].includes(answer.status) || !(retries-- > 0) || !isWanted()) return answer
    const ms = waitMs
    await new Promise<void>((resolve) => clock.after(ms, resolve))
  }
}
