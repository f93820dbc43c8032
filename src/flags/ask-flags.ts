import type { SendAnswer } from '../port/send.ts'
import type { DecideRequest, RemoteConfig } from '../wire/decide.ts'
import { Path } from '../wire/path.ts'
import { type FlagAnswer, readFlagAnswer } from './flag-answer.ts'
import type { FlagsApi } from './flags-options.ts'

export interface FlagReply extends FlagAnswer {
  /** The endpoint that gave this reply. */
  readonly api: FlagsApi
  /** There is no answer; `errors` says why. */
  readonly isFailed?: boolean
  /** A remote config was loaded, and the project has flags. */
  readonly isConfigured?: boolean
}

/**
 * Asks for flags by either generation of the protocol. The first one's answer is the remote config as well; for the second one that
 * is loaded before, once per page, and a project without flags is then not asked for them.
 *
 * @param ask Sends one request; without a body, a GET.
 * @param stored The remote config known so far; undefined when this page has loaded it.
 */
export const askFlags = async (
  ask: (path: string, body?: DecideRequest) => Promise<SendAnswer>,
  api: FlagsApi,
  apiKey: string,
  subject: DecideRequest,
  stored: RemoteConfig | undefined,
): Promise<FlagReply> => {
  const askFor = (which: FlagsApi): Promise<SendAnswer> =>
    which === 'decide'
      ? ask(Path.decide, { api_key: apiKey, ...subject })
      : ask(Path.flags, { token: apiKey, ...subject })

  let config: RemoteConfig = {}
  let isConfigured = !stored
  if (api === 'flags' && stored) {
    const { status, body } = await ask(Path.config(apiKey))
    const found = status === 200 ? readFlagAnswer(body)?.config : undefined
    config = found ?? stored
    if (config.hasFeatureFlags === false) return { api, flags: {}, errors: [], config }
    isConfigured = !!found
  }

  let { status, body } = await askFor(api)
  if ([404, 405, 410].includes(status)) {
    api = api === 'decide' ? 'flags' : 'decide'
    ;({ status, body } = await askFor(api))
  }
  const answer = status === 200 ? readFlagAnswer(body) : undefined
  if (answer) return { ...answer, api, config: { ...config, ...answer.config }, isConfigured }
  const error = status === 0 ? 'connection_error' : status === 200 ? 'unknown_error' : `api_error_${status}`
  return { api, errors: [error], config, isConfigured, isFailed: true }
}
