import { isEmptyObject, isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'

/** A request of the management API whose answer is exported. */
interface ExportedRequest {
  readonly path: string
  readonly method: string
  readonly body: JsonObject
}

const PATH = /^\/?api\/(?:projects|environments)\/([^/]+)\/(query|events)\/?(?:\.json)?$/

/** Completes a path to a URL. */
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
  const { query, filters_override: filters = null } = body
  if (filters !== null && !(isRecord(filters) && isEmptyObject(filters)))
    throw badRequest(
      'invalid_input',
      '"export_context.body.filters_override" must be empty. Change the query itself.',
      'export_context.body',
    )
  if (method.toUpperCase() === 'POST' && query !== undefined) return query
  throw badRequest(
    'missing_query',
    'An export of a query needs the method POST and "query" in its body.',
    'export_context.body',
  )
}

/** Parameters whose value is JSON. */
const JSON_PARAMETERS = ['properties', 'select', 'orderBy'] as const

const TEXT_PARAMETERS = ['event', 'person_id', 'distinct_id', 'after', 'before', 'limit', 'offset'] as const

const toEventsQuery = (parameters: URLSearchParams): JsonObject => {
  const known: readonly string[] = [...JSON_PARAMETERS, ...TEXT_PARAMETERS]
  for (const name of parameters.keys())
    if (!known.includes(name))
      throw badRequest('invalid_input', `"${FIELD}" has "${name}"; it may have ${known.join(', ')}.`, FIELD)
  const read = (name: (typeof TEXT_PARAMETERS)[number]): string | null => parameters.get(name) || null
  const readNumber = (name: 'limit' | 'offset'): number | null => (read(name) === null ? null : Number(read(name)))
  const [properties, select, orderBy] = JSON_PARAMETERS.map((name) => parseParameter(name, parameters.get(name)))
  const distinctId = read('distinct_id')
  return {
    kind: 'EventsQuery',
    select: select ?? ['*'],
    event: read('event'),
    personId: read('person_id'),
    after: read('after') ?? 'all',
    before: read('before'),
    properties: properties ?? [],
    orderBy: orderBy ?? null,
    limit: readNumber('limit'),
    offset: readNumber('offset'),
    ...(distinctId !== null && {
      fixedProperties: [{ type: 'event_metadata', key: 'distinct_id', operator: 'exact', value: distinctId }],
    }),
  }
}

const parseParameter = (name: string, text: string | null): Json => {
  if (text === null || text === '') return null
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    throw badRequest('invalid_input', `The parameter "${name}" of "${FIELD}" must be JSON.`, FIELD)
  }
}
