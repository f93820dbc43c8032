import * as Type from 'typebox'
import type { Api } from '../management/api.ts'

/** Adds `GET /api/schema/`: the OpenAPI document of the management API. It is generated at the first request. */
export const addSchemaRoute = (api: Api): void => {
  let document: string | undefined
  api.get(
    '/api/schema/',
    {
      config: { access: { kind: 'public' } },
      schema: {
        operationId: 'schema_retrieve',
        summary: 'The OpenAPI 3.1 document of this API',
        tags: ['schema'],
        response: { 200: Type.Unsafe<string>(Type.Unknown({ description: 'The document.' })) },
      },
    },
    async (_request, reply) => {
      document ??= JSON.stringify(api.swagger())
      return reply.type('application/json; charset=utf-8').send(document)
    },
  )
}
