import type { Clock } from '../port/clock.ts'
import type { Send } from '../port/send.ts'
import type { DecideRequest } from '../wire/decide.ts'
import { Path } from '../wire/path.ts'
import { type FlagAnswer, readFlagAnswer } from './flag-answer.ts'
import type { FlagsApi, FlagsOptions } from './flags-options.ts'

/** First wait before a repeated flag request, in milliseconds; doubles each time. */
const RETRY_BASE_MS = 300

export interface FlagReply {
  /** The endpoint that gave this reply. */
  readonly _api: FlagsApi
  readonly _answer?: FlagAnswer
  /** Why there is no answer, in the words of `$feature_flag_error`. */
  readonly _error?: string
}

/**
 * Asks the service for the flags of one subject, with the retries that flags have: only for no answer, 502 and 504.
 *
 * @param subject The body beside the key.
 * @param wanted False once nobody wants this answer any more: no retry then.
 * @returns Never rejects.
 */
export const askFlags = async (
  clock: Clock,
  send: Send,
  options: FlagsOptions,
  api: FlagsApi,
  subject: Omit<DecideRequest, 'api_key'>,
  wanted: () => boolean,
): Promise<FlagReply> => {
  let waitMs = RETRY_BASE_MS
  let retries = options.maxRetries ?? 1
  let alternatives = 1
  for (;;) {
    const decide = api === 'decide'
    // CORS-simple: text/plain makes no preflight.
    const { status, body } = await send({
      url: options.host + (decide ? Path.decide : Path.flags),
      body: JSON.stringify({ [decide ? 'api_key' : 'token']: options.apiKey, ...subject }),
      contentType: 'text/plain',
      timeoutMs: options.requestTimeoutMs ?? 10_000,
    })
    if ([404, 405, 410].includes(status) && alternatives-- > 0) api = decide ? 'flags' : 'decide'
    else if ([0, 502, 504].includes(status) && retries-- > 0 && wanted()) {
      const ms = waitMs
      waitMs *= 2
      await new Promise<void>((resolve) => clock.after(ms, resolve))
    } else {
      const answer = status === 200 ? readFlagAnswer(body) : undefined
      if (answer) return { _api: api, _answer: answer }
      return {
        _api: api,
        _error: status === 0 ? 'connection_error' : status === 200 ? 'unknown_error' : `api_error_${status}`,
      }
    }
  }
}
