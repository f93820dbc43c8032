import { PERSONAL_KEY_MISPLACED, readKeyForm } from '../auth/key-form.ts'
import type { AuthenticateProject } from '../auth/project-authenticator.ts'
import type { FlagSets } from '../flags/definitions/flag-sets.ts'
import type { Handler } from '../http/route.ts'
import { notFound, HttpError } from '../http-error.ts'
import { createRemoteConfig, createRemoteConfigScript } from './remote-config.ts'
import type { ServiceConfig } from './remote-config.ts'

/** Dependencies of the remote config routes. */
export interface ConfigParts {
  readonly authenticateProject: AuthenticateProject
  readonly flagSets: FlagSets
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long browsers cache the config. Pages may request no flags or surveys for this time after the first one was created. */
const MAX_AGE_SECONDS = 60

/** Handles `GET /array/<key>/config`: the project's remote config as JSON. Throws `HttpError` (404, 503). */
export const createConfigHandler =
  (parts: ConfigParts): Handler =>
  async ({ params: { token = '' }, ip }, reply) => {
    const config = await readConfigOfProject(parts, token, ip)
    return reply.type('application/json').header('cache-control', CACHE_CONTROL).send(JSON.stringify(config))
  }

/** Handles `GET /array/<key>/config.js`: the same as a script. */
export const createConfigScriptHandler =
  (parts: ConfigParts): Handler =>
  async ({ params: { token = '' }, ip }, reply) => {
    const script = createRemoteConfigScript(await readConfigOfProject(parts, token, ip))
    return reply
      .type('text/javascript')
      .header('cache-control', CACHE_CONTROL)
      .header('x-content-type-options', 'nosniff')
      .send(script)
  }

const CACHE_CONTROL = `public, max-age=${MAX_AGE_SECONDS}`

const readConfigOfProject = async (
  { authenticateProject, flagSets, hasSurveys, now }: ConfigParts,
  token: string,
  ip: string,
): Promise<ServiceConfig> => {
  // Here the key is part of the path, so an unknown one is 404 and not 401.
  const { id, apiKey } = await authenticateProject(token, now(), ip).catch((error: unknown) => {
    throw error instanceof HttpError && error.status === 401
      ? notFound(
          readKeyForm(token) === 'personal'
            ? PERSONAL_KEY_MISPLACED
            : 'No project has the API key in the path. Check the project API key.',
        )
      : error
  })
  const [{ flags }, surveys] = await Promise.all([flagSets.get(id), hasSurveys(id)])
  return createRemoteConfig(apiKey, { hasFeatureFlags: flags.length > 0, hasSurveys: surveys })
}
