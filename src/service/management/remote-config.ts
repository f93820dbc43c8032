import * as Type from 'typebox'
import { getProject } from '../auth/request-access.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { ProjectParams } from '../schema/project-params.ts'
import type { Api } from './api.ts'
import { readFlagPayload } from './read-flag-payload.ts'

/** Adds the route that returns the payload of a flag without evaluating it. */
export const addRemoteConfig = (api: Api, metadata: Metadata): void => {
  api.get(
    '/feature_flags/:id/remote_config',
    {
      config: { access: { kind: 'personalKey', scope: 'feature_flag:read' } },
      schema: {
        operationId: 'feature_flags_remote_config_retrieve',
        summary: 'Reads the payload of a feature flag, for every user, even if the flag is off',
        tags: ['feature_flags'],
        params: Type.Object({ ...ProjectParams, id: Type.String({ description: 'Id or key of the flag.' }) }),
        response: { 200: Type.Unsafe<string>(Type.Unknown({ description: 'The payload; null without one.' })) },
      },
    },
    async (request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(await readFlagPayload(metadata, getProject(request).project.id, request.params.id)),
  )
}
