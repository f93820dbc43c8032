import type { Send } from '../port/send.ts'
import type { DecideRequest } from '../wire/decide.ts'
import { Path } from '../wire/path.ts'
import { readFlagAnswer } from './flag-answer.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagsOptions } from './flags-options.ts'

/** First wait before a repeated request, in milliseconds; doubles each time. */
const RETRY_BASE_MS = 300

export interface FlagReply {
  /** What was known, with what the service has told. */
  readonly known: FlagSnapshot
  /** What is wrong with the answer, or why there is none, in the words of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** There is no answer about flags. */
  readonly isFailed: boolean
  /** Something else could not be loaded: as old as one that failed when it comes to loading again. */
  readonly isUnfinished?: boolean
}

/**
 * @param subject The body of the request beside the key.
 * @param isWanted False once nobody wants this answer any more: no further request then.
 * @returns Never rejects.
 */
export type AskFlags = (known: FlagSnapshot, subject: DecideRequest, isWanted: () => boolean) => Promise<FlagReply>

/**
 * Asks for flags by either generation of the protocol. The first one's answer is the remote config as well; for the second one that
 * is loaded before, once per page and user, and a project without flags is then not asked for them. Whoever asks about many users (a known
 * snapshot without an owner) needs no remote config: none is asked for.
 *
 * A request is repeated, with the same body, only when there was no answer, or 502 or 504.
 *
 * @param pause The wait before that, in milliseconds; shorter when the answer is not wanted any more.
 */
export const createAskFlags = (
  pause: (ms: number) => Promise<void>,
  send: Send,
  options: Pick<FlagsOptions, 'host' | 'apiKey' | 'flagsApi' | 'requestTimeout' | 'featureFlagsRequestMaxRetries'>,
): AskFlags => {
  const { host, apiKey, flagsApi: chosen = 'decide' } = options
  /** The user for whom the remote config was asked for: a service without one is not asked again. */
  let configuredFor: string | undefined

  return async (known, subject, isWanted) => {
    let api = known.api ?? chosen

    /** @param body Empty: a GET request. */
    const ask = async (path: string, body = ''): Promise<{ status: number; errors: readonly string[] | undefined }> => {
      for (let retry = 0; ; retry++) {
        if (!isWanted()) return { status: 0, errors: undefined }
        // CORS-simple: text/plain makes no preflight.
        const answer = await send({
          url: host + path,
          body,
          contentType: 'text/plain',
          timeoutMs: options.requestTimeout,
        })
        const { status } = answer
        if ([0, 502, 504].includes(status) && retry < options.featureFlagsRequestMaxRetries && isWanted())
          await pause(RETRY_BASE_MS << retry)
        else {
          const read = status === 200 ? readFlagAnswer(answer.body, known) : undefined
          if (read) known = { ...known, ...read.changes, api: api === chosen ? undefined : api }
          return { status, errors: read?.errors }
        }
      }
    }
    const askFor = (): ReturnType<typeof ask> =>
      api === 'decide'
        ? ask(Path.decide, JSON.stringify({ api_key: apiKey, ...subject }))
        : ask(Path.flags, JSON.stringify({ token: apiKey, ...subject }))

    if (api === 'flags' && configuredFor !== known.owner) {
      const { status, errors } = await ask(Path.config(apiKey))
      const isWithoutFlags = known.config?.hasFeatureFlags === false
      // Flags that are switched on later shall be seen.
      if (errors ? !isWithoutFlags : status && status < 500) configuredFor = known.owner
      if (isWithoutFlags) return { known: { ...known, flags: {} }, errors: [], isFailed: false }
    }

    let reply = await askFor()
    if ([404, 405, 410].includes(reply.status)) {
      api = api === 'decide' ? 'flags' : 'decide'
      reply = await askFor()
    }
    const { status, errors } = reply
    return {
      known,
      errors: errors ?? [status ? `api_error_${status}` : 'connection_error'],
      isFailed: !errors,
    }
  }
}
