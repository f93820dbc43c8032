import type { FastifyRequest } from 'fastify'
import { findNearMiss } from '../closest-name.ts'
import { badRequest } from '../http-error.ts'

/** Parameters by which lists of the protocol leave out items or order them. A list that ignored one would answer other items than asked for. */
const FILTERS: ReadonlySet<string> = new Set([
  'action_id',
  'active',
  'archived',
  'cohort',
  'collection_type',
  'created_by',
  'created_by_id',
  'date_from',
  'date_to',
  'deleted',
  'distinct_id',
  'email',
  'evaluation_runtime',
  'event',
  'excluded_properties',
  'feature',
  'group_key',
  'has_evaluation_contexts',
  'ids',
  'insight',
  'is_static',
  'key',
  'name',
  'order',
  'orderBy',
  'ordering',
  'person_id',
  'pinned',
  'saved',
  'search',
  'select',
  'session_recording_id',
  'short_id',
  'sort',
  'stage',
  'status',
  'tags',
  'type',
  'user',
  'where',
])

/** The parameters that a route declares; null for a route that is not a list. */
const findListParameters = ({ routeOptions: { schema } }: FastifyRequest): readonly string[] | null => {
  const { properties } = (schema?.querystring ?? {}) as { readonly properties?: object }
  const names = Object.keys(properties ?? {})
  return names.includes('limit') ? names : null
}

/**
 * Throws `HttpError` (400) for a parameter of a list that asks for some of the items, or for another order, and that the list does not have.
 * Also for a likely misspelling of one that it has. Other parameters are ignored, as before.
 */
export const refuseUnknownFilters = (request: FastifyRequest): void => {
  const known = findListParameters(request)
  if (known === null) return
  for (const [name, value] of Object.entries(request.query as Readonly<Record<string, unknown>>)) {
    if (known.includes(name) || value === '') continue
    const closest = findNearMiss(name, known)
    if (closest === null && !FILTERS.has(name)) continue
    const advice = closest === null ? `it has ${known.join(', ')}` : `did you mean "${closest}"?`
    throw badRequest('invalid_input', `"${name}" must be missing: the list has no such parameter; ${advice}.`, name)
  }
}
