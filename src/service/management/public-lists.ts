import type { ProjectOfKey } from '../auth/project-keys.ts'
import { publicProject } from '../auth/public-project.ts'
import { valuesOf } from '../http/read-query.ts'
import type { Handler } from '../http/route.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { SurveyLists } from '../survey/survey-lists.ts'
import { offeredFeatures } from './offered-features.ts'

/** What the lists stand on. */
export interface PublicListsParts {
  readonly metadata: Metadata
  readonly projectOfKey: ProjectOfKey
  readonly surveyLists: Pick<SurveyLists, 'list'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Handlers for what everybody may read who knows a project's api key: pages ask them. */
export const createPublicLists = ({
  metadata,
  projectOfKey,
  surveyLists,
  now,
}: PublicListsParts): Readonly<Record<'earlyAccessFeatures' | 'surveys' | 'webExperiments', Handler>> => ({
  earlyAccessFeatures: async ({ query, url }) => {
    const { id } = await publicProject(query, projectOfKey, now())
    return offeredFeatures(metadata, id, valuesOf(url, 'stage'))
  },
  surveys: async ({ query }, reply) => {
    const { id } = await publicProject(query, projectOfKey, now())
    return reply.type('application/json; charset=utf-8').send(await surveyLists.list(id))
  },
  // Changes to pages are none of this service's business, but posthog-js asks for them.
  webExperiments: async ({ query }) => {
    await publicProject(query, projectOfKey, now())
    return { experiments: [] }
  },
})
