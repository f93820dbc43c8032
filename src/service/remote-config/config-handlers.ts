import type { ProjectOfKey } from '../auth/project-keys.ts'
import type { FlagSets } from '../flags/definitions/flag-sets.ts'
import type { Handler } from '../http/route.ts'
import { notFound, Refusal } from '../refusal.ts'
import { remoteConfig, remoteConfigScript } from './remote-config.ts'
import type { ServedConfig } from './remote-config.ts'

/** What the routes of the remote config need. */
export interface ConfigParts {
  readonly projectOfKey: ProjectOfKey
  readonly flagSets: FlagSets
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long a page may go by what it has: so long after the first flag or survey was made it may not ask for any. */
const FRESH_SECONDS = 60

/** Makes the handler that answers the remote config of the project whose key is in the path, as JSON. Throws `Refusal` (404, 503). */
export const answerConfig =
  (parts: ConfigParts): Handler =>
  async ({ params: { token = '' } }, reply) => {
    const config = await configOf(parts, token)
    return reply.type('application/json').header('cache-control', CACHE).send(JSON.stringify(config))
  }

/** Makes the handler that answers it as a script. */
export const answerConfigScript =
  (parts: ConfigParts): Handler =>
  async ({ params: { token = '' } }, reply) => {
    const script = remoteConfigScript(await configOf(parts, token))
    return reply
      .type('text/javascript')
      .header('cache-control', CACHE)
      .header('x-content-type-options', 'nosniff')
      .send(script)
  }

const CACHE = `public, max-age=${FRESH_SECONDS}`

const configOf = async (
  { projectOfKey, flagSets, hasSurveys, now }: ConfigParts,
  token: string,
): Promise<ServedConfig> => {
  // What the path names is not there, while elsewhere a wrong key keeps the sender out.
  const { id, apiKey } = await projectOfKey(token, now()).catch((error: unknown) => {
    throw error instanceof Refusal && error.status === 401 ? notFound('No project has this api key.') : error
  })
  const [{ flags }, surveys] = await Promise.all([flagSets.of(id), hasSurveys(id)])
  return remoteConfig(apiKey, { hasFeatureFlags: flags.length > 0, hasSurveys: surveys })
}
