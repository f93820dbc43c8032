import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { REQUEST_EXAMPLES } from './request-examples.ts'
import { addStandardErrors } from './standard-errors.ts'
import type { Operation } from './standard-errors.ts'

const DESCRIPTION = `The management API of a Waymark service.

Every path can be called with or without its last slash. Paths of a project begin with \`/api/environments/{project_id}/\`
or \`/api/projects/{project_id}/\`, which mean the same. Requests carry a personal API key, as
\`Authorization: Bearer wmx_…\`; the operation's security names the scope that the key needs. Fields that the service does
not know have no effect. Times are ISO 8601 in UTC.`

const PROJECTS_PREFIX = '/api/projects/:project_id/'

/** Where the schema of a route says how the route is secured. */
const describeAccess = ({ config }: RouteOptions): readonly Record<string, string[]>[] => {
  const access = config?.access
  if (access?.kind === 'personalKey') return [{ personalApiKey: [access.scope] }]
  return access?.kind === 'projectKey' ? [{ projectApiKey: [] }] : []
}

/** Adds what follows from the route itself to its schema. */
const transform = ({
  schema,
  url,
  route,
}: {
  schema: FastifySchema | undefined
  url: string
  route: RouteOptions
}): { schema: FastifySchema | undefined; url: string } => {
  if (schema === undefined) return { schema, url }
  const { operationId, ...rest } = schema as FastifySchema & { operationId?: string }
  // Operation ids must be unique, and each project path exists twice.
  const id = url.startsWith(PROJECTS_PREFIX) ? `projects_${operationId}` : operationId
  return { schema: { ...rest, operationId: id, security: describeAccess(route) }, url }
}

/** Shows a body in an operation that takes one. The two operations of a project path have the same. */
const addRequestExample = ({ operationId = '', requestBody }: Operation): void => {
  const body = requestBody?.content['application/json']
  if (body) body.example = REQUEST_EXAMPLES[operationId] ?? REQUEST_EXAMPLES[operationId.replace(/^projects_/, '')]
}

type Document = { paths?: Record<string, Record<string, Operation>> }

/**
 * Collects the schemas of all routes that are added after it, for the OpenAPI 3.1 document that `app.swagger()` returns.
 * Routes without tags are left out.
 *
 * @param named The schemas that others refer to by `$id`.
 */
export const addOpenApi = async (
  app: FastifyInstance,
  named: Readonly<Record<string, TSchema>>,
  version: string,
): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Waymark management API', description: DESCRIPTION, version },
      components: {
        securitySchemes: {
          personalApiKey: { type: 'http', scheme: 'bearer', description: 'A personal API key (`wmx_…`).' },
          projectApiKey: { type: 'apiKey', in: 'query', name: 'token', description: 'The project API key (`wm_…`).' },
        },
      },
    },
    hideUntagged: true,
    transform: transform as never,
    transformObject: (documentObject) => {
      const document = (documentObject as { openapiObject: Document }).openapiObject
      for (const operations of Object.values(document.paths ?? {}))
        for (const [method, operation] of Object.entries(operations)) {
          addStandardErrors(method, operation)
          addRequestExample(operation)
        }
      return document
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
    },
  })
  for (const schema of Object.values(named)) app.addSchema(schema)
}
