import type { Json, JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'

/** A request of the management API whose answer is exported. */
interface ExportedRequest {
  readonly path: string
  readonly method: string
  readonly body: JsonObject
}

const PATH = /^\/?api\/(?:projects|environments)\/([^/]+)\/(query|events)\/?(?:\.json)?$/

/** Paths are relative to it; its name is of no use. */
const BASE = 'http://service/'

const FIELD = 'export_context.path'

/**
 * The query of a request, in the form in which older clients ask for exports: `POST …/query/` with a body, or `GET …/events/` with
 * parameters. Throws `HttpError` (400).
 */
export const parseExportPath = ({ path, method, body }: ExportedRequest, projectId: number): Json => {
  const url = URL.canParse(path, BASE) ? new URL(path, BASE) : new URL(BASE)
  const [, project, resource] = PATH.exec(url.pathname) ?? []
  if (resource === undefined)
    throw badRequest(
      'invalid_input',
      `"${FIELD}" must be the path of a query or of events: /api/projects/1/events/`,
      FIELD,
    )
  if (project !== '@current' && project !== String(projectId))
    throw badRequest('invalid_input', `"${FIELD}" must be a path of this project, ${projectId}.`, FIELD)
  if (resource === 'events') return toEventsQuery(url.searchParams)
  if (method.toUpperCase() === 'POST' && body['query'] !== undefined) return body['query']
  throw badRequest(
    'missing_query',
    'An export of a query needs the method POST and "query" in its body.',
    'export_context.body',
  )
}

const toEventsQuery = (parameters: URLSearchParams): JsonObject => {
  const read = (name: string): string | null => parameters.get(name) || null
  const distinctId = read('distinct_id')
  return {
    kind: 'EventsQuery',
    select: ['*'],
    event: read('event'),
    personId: read('person_id'),
    after: read('after') ?? 'all',
    before: read('before'),
    properties: parseProperties(read('properties')),
    ...(distinctId !== null && {
      fixedProperties: [{ type: 'event_metadata', key: 'distinct_id', operator: 'exact', value: distinctId }],
    }),
  }
}

const parseProperties = (text: string | null): Json => {
  if (text === null) return []
  try {
    const properties: Json = JSON.parse(text)
    return properties
  } catch {
    throw badRequest('invalid_input', `The parameter "properties" of "${FIELD}" must be JSON.`, FIELD)
  }
}
