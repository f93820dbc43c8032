import type { AuthenticateProject } from '../auth/project-authenticator.ts'
import { authenticateQueryToken } from '../auth/authenticate-query-token.ts'
import { parseQueryValues } from '../http/parse-query.ts'
import type { Handler } from '../http/route.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { SurveyCache } from '../survey/survey-cache.ts'
import { listOfferedFeatures } from './list-offered-features.ts'

/** Dependencies of the public lists. */
export interface PublicListsOptions {
  readonly metadata: Metadata
  readonly authenticateProject: AuthenticateProject
  readonly surveyCache: Pick<SurveyCache, 'listJson'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Creates the handlers of lists that pages read. The project API key, which is public, is enough to read them. */
export const createPublicLists = ({
  metadata,
  authenticateProject,
  surveyCache,
  now,
}: PublicListsOptions): Readonly<Record<'earlyAccessFeatures' | 'surveys' | 'webExperiments', Handler>> => ({
  earlyAccessFeatures: async ({ query, url }) => {
    const { id } = await authenticateQueryToken(query, authenticateProject, now())
    return listOfferedFeatures(metadata, id, parseQueryValues(url, 'stage'))
  },
  surveys: async ({ query }, reply) => {
    const { id } = await authenticateQueryToken(query, authenticateProject, now())
    return reply.type('application/json; charset=utf-8').send(await surveyCache.listJson(id))
  },
  // This service has no web experiments, but posthog-js requests them.
  webExperiments: async ({ query }) => {
    await authenticateQueryToken(query, authenticateProject, now())
    return { experiments: [] }
  },
})
