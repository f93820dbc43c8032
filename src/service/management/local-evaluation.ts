import * as Type from 'typebox'
import type { Handler, Request } from '../http/route.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { JsonFields, refTo } from '../schema/types.ts'
import type { Api } from './api.ts'

/** Adds the path under which agents of the protocol read the definitions that they evaluate themselves. */
export const addLocalEvaluation = (api: Api, readFeed: Handler): void => {
  api.get(
    '/api/feature_flag/local_evaluation/',
    {
      config: { access: { kind: 'personalKey', scope: 'feature_flag:read' } },
      schema: {
        operationId: 'feature_flag_local_evaluation_retrieve',
        summary: 'Reads all flag definitions, for evaluation by an agent',
        tags: ['feature_flags'],
        querystring: Type.Object({
          token: Type.Optional(
            Type.String({
              description:
                'The project API key. Default: the project that `@current` is in paths, which is the first project that the personal API ' +
                'key is limited to, or the oldest one that it may see.',
            }),
          ),
          send_cohorts: Type.Optional(Type.String({ description: 'Adds the conditions of cohorts.' })),
        }),
        response: {
          200: Type.Object({
            flags: Type.Array(JsonFields('A flag: the fields of `FeatureFlag` without its times.')),
            group_type_mapping: Type.Record(Type.String(), Type.String(), {
              description: 'Group type index to group type.',
            }),
            cohorts: JsonFields('Cohort id to its conditions.'),
            property_matching_version: Type.Optional(Type.Integer()),
            minimal_flag_called_events: Type.Optional(Type.Boolean()),
          }),
          304: Type.Null({ description: 'The client has the definitions already (`If-None-Match`).' }),
          404: refTo(ApiErrorSchema, { description: 'There is no project with this token that the key may see.' }),
          402: refTo(ApiErrorSchema, { description: 'The flag quota is used up, so flags are paused.' }),
        },
      },
    },
    (request, reply) => readFeed(request as unknown as Request, reply as never) as never,
  )
}
