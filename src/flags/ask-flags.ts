import type { Clock } from '../port/clock.ts'
import type { Send, SendAnswer } from '../port/send.ts'
import type { DecideRequest, RemoteConfig } from '../wire/decide.ts'
import { Path } from '../wire/path.ts'
import { type FlagAnswer, readFlagAnswer } from './flag-answer.ts'
import type { FlagsApi, FlagsOptions } from './flags-options.ts'

/** First wait before a repeated request, in milliseconds; doubles each time. */
const RETRY_BASE_MS = 300

/** Most repetitions of one request, whatever the options say. */
const MAX_RETRIES = 10

export interface FlagReply extends FlagAnswer {
  /** The endpoint that gave this reply. */
  readonly api: FlagsApi
  /** There is no answer; `errors` says why. */
  readonly isFailed?: boolean
  /** A remote config was loaded, and the project has flags. */
  readonly isConfigured?: boolean
}

/** What one question is about. */
export interface FlagQuestion {
  readonly api: FlagsApi
  /** The body beside the key. */
  readonly subject: DecideRequest
  /** The remote config known so far; undefined when this page has loaded it. */
  readonly stored: RemoteConfig | undefined
  /** False once nobody wants this answer any more: no retry then. */
  readonly isWanted: () => boolean
}

/**
 * Asks for flags by either generation of the protocol. The first one's answer is the remote config as well; for the second one that
 * is loaded before, once per page, and a project without flags is then not asked for them.
 *
 * A request is repeated, with the same body, only when there was no answer, or 502 or 504.
 *
 * @returns Never rejects.
 */
export const askFlags = async (
  clock: Clock,
  send: Send,
  options: FlagsOptions,
  { api, subject, stored, isWanted }: FlagQuestion,
): Promise<FlagReply> => {
  const { host, apiKey, requestTimeout = 10_000, featureFlagsRequestMaxRetries: maxRetries = 1 } = options

  /** @param body Empty: a GET request. */
  const ask = async (path: string, body = ''): Promise<SendAnswer> => {
    let retries = Math.min(maxRetries, MAX_RETRIES)
    for (let waitMs = RETRY_BASE_MS; ; waitMs *= 2) {
      // CORS-simple: text/plain makes no preflight.
      const answer = await send({ url: host + path, body, contentType: 'text/plain', timeoutMs: requestTimeout })
      if (![0, 502, 504].includes(answer.status) || !(retries-- > 0) || !isWanted()) return answer
      const ms = waitMs
      await new Promise<void>((resolve) => clock.after(ms, resolve))
    }
  }
  const read = ({ status, body }: SendAnswer): FlagAnswer | undefined =>
    status === 200 ? readFlagAnswer(body) : undefined
  const askFor = (): Promise<SendAnswer> =>
    api === 'decide'
      ? ask(Path.decide, JSON.stringify({ api_key: apiKey, ...subject }))
      : ask(Path.flags, JSON.stringify({ token: apiKey, ...subject }))

  let config = stored
  if (api === 'flags' && stored) {
    const found = read(await ask(Path.config(apiKey)))?.config
    if (found) stored = undefined
    config = found ?? config
    if (config!.hasFeatureFlags === false) return { api, flags: {}, errors: [], config: config! }
  }

  let reply = await askFor()
  if ([404, 405, 410].includes(reply.status)) {
    api = api === 'decide' ? 'flags' : 'decide'
    reply = await askFor()
  }
  const answer = read(reply)
  const { status } = reply
  return {
    errors: [status ? `api_error_${status}` : 'connection_error'],
    isFailed: !answer,
    ...answer,
    api,
    config: { ...config, ...answer?.config },
    isConfigured: !stored,
  }
}
