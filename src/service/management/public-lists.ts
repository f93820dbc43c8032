import * as Type from 'typebox'
import type { AuthenticateProject } from '../auth/project-authenticator.ts'
import { authenticateQueryToken } from '../auth/authenticate-query-token.ts'
import { parseQueryValues } from '../http/parse-query.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { SurveyCache } from '../survey/survey-cache.ts'
import { refTo } from '../schema/types.ts'
import type { Api } from './api.ts'
import { listOfferedFeatures } from './list-offered-features.ts'
import { OfferedFeaturesSchema } from './schema/early-access-feature.ts'
import { PublicSurveysSchema } from './schema/survey.ts'

/** Dependencies of the public lists. */
export interface PublicListsOptions {
  readonly metadata: Metadata
  readonly authenticateProject: AuthenticateProject
  readonly surveyCache: Pick<SurveyCache, 'listJson'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const TokenQuery = {
  token: Type.Optional(Type.String({ description: 'The project API key.', examples: ['wm_…'] })),
  api_key: Type.Optional(Type.String({ description: 'Older name of `token`.' })),
}

/** Adds lists that pages read. The project API key, which is public, is enough to read them. */
export const addPublicLists = (
  api: Api,
  { metadata, authenticateProject, surveyCache, now }: PublicListsOptions,
): void => {
  const config = { access: { kind: 'projectKey' } } as const
  api.get(
    '/api/early_access_features/',
    {
      config,
      schema: {
        operationId: 'early_access_features_public_list',
        summary: 'Lists the early access features in which people can enrol',
        tags: ['public'],
        querystring: Type.Object({
          ...TokenQuery,
          stage: Type.Optional(Type.String({ description: 'Only this stage; can be repeated.' })),
        }),
        response: { 200: refTo(OfferedFeaturesSchema) },
      },
    },
    async ({ query, url, ip }) => {
      const { id } = await authenticateQueryToken(query, authenticateProject, now(), ip)
      return listOfferedFeatures(metadata, id, parseQueryValues(url, 'stage'))
    },
  )
  api.get(
    '/api/surveys/',
    {
      config,
      schema: {
        operationId: 'surveys_public_list',
        summary: 'Lists the surveys of a project for its pages',
        tags: ['public'],
        querystring: Type.Object(TokenQuery),
        response: { 200: refTo(PublicSurveysSchema) },
      },
    },
    async ({ query, ip }, reply) => {
      const { id } = await authenticateQueryToken(query, authenticateProject, now(), ip)
      // The list is stored as JSON, and already has its shape.
      return reply.type('application/json; charset=utf-8').send((await surveyCache.listJson(id)) as never)
    },
  )
  // This service has no web experiments, but posthog-js requests them.
  api.get(
    '/api/web_experiments/',
    {
      config,
      schema: {
        operationId: 'web_experiments_public_list',
        summary: 'An empty list: the service has no web experiments',
        tags: ['public'],
        querystring: Type.Object(TokenQuery),
        response: { 200: Type.Object({ experiments: Type.Array(Type.Unknown()) }) },
      },
    },
    async ({ query, ip }) => {
      await authenticateQueryToken(query, authenticateProject, now(), ip)
      return { experiments: [] }
    },
  )
}
