import { isDeeperThan } from '../../wire/is-deeper-than.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import { findMisspelledField } from '../insight/check/find-misspelled-field.ts'
import { findMisspelledFilter } from '../insight/check/find-misspelled-filter.ts'
import { findUnappliedField, findUnappliedFilter } from '../insight/check/find-unapplied-field.ts'
import type { UnappliedField } from '../insight/check/find-unapplied-field.ts'
import { findMisspelledName } from '../insight/check/find-misspelled-name.ts'
import { unwrapQuery } from '../insight/query/unwrap-query.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import { checkQuery, checkQuerySize, MAX_QUERY_NESTING } from './create-query-work.ts'
import { OVERRIDE, parseQuery, SQL_KINDS, VARIABLES } from './parse-query-body.ts'
import { refuseMisspelled } from './refuse-misspelled.ts'
import { namedSchemas } from './schema/named-schemas.ts'

const SQL_FIELDS = ['kind', 'query', 'values', 'variables', 'filters', 'explain'] as const

const refuseUnapplied = (field: UnappliedField | null): void => {
  if (field !== null) throw badRequest('field_not_applied', `"${field.path}" ${field.rule}.`, field.path)
}

/**
 * Checks a query that is asked or saved. Throws `HttpError` (400) for an invalid one, for a field that is nearly one of ours, and for one
 * that would change numbers but is not applied. Stored queries are checked by `checkQuery` alone: they stay answerable.
 */
export const checkNewQuery = async (input: Json | undefined, syntax: SqlSyntax): Promise<void> => {
  if (isRecord(input)) {
    const node = unwrapQuery(input)
    if (SQL_KINDS.includes(node['kind'])) refuseMisspelled(findMisspelledName(node, 'query', SQL_FIELDS))
  }
  const parsed = parseQuery(input, syntax)
  if (parsed.kind === 'sql') return
  const { query, insightKind } = parsed
  checkQuerySize(query)
  refuseMisspelled(findMisspelledField(query, 'query', insightKind.schema, namedSchemas))
  await checkQuery(parsed)
  refuseUnapplied(findUnappliedField(query, 'query', namedSchemas))
}

const BODY_FIELDS = ['query', 'refresh', 'async', 'client_query_id', OVERRIDE, VARIABLES, 'name'] as const

/** Checks the body of a request that asks a query, but for its overrides. Throws `HttpError` (400). */
export const checkNewQueryBody = async (body: JsonObject, syntax: SqlSyntax): Promise<void> => {
  refuseMisspelled(findMisspelledName(body, '', BODY_FIELDS))
  await checkNewQuery(body['query'], syntax)
}

/**
 * Checks property filters that are asked or saved as `checkNewQuery` does. Throws `HttpError` (400). The parser refuses those that are
 * nested too deeply.
 */
export const checkNewFilters = (filters: Json | undefined, path: string): void => {
  if (isDeeperThan(filters ?? null, MAX_QUERY_NESTING)) return
  refuseMisspelled(findMisspelledFilter(filters, path))
  refuseUnapplied(findUnappliedFilter(filters, path))
}

const SESSION_FIELDS = [
  'date_from',
  'date_to',
  'duration',
  'filter_group',
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
] as const

/** Checks the filters of a playlist that are saved. Throws `HttpError` (400). */
export const checkNewSessionFilters = (filters: JsonObject, path: string): void => {
  refuseMisspelled(findMisspelledName(filters, path, SESSION_FIELDS))
  for (const name of ['filter_group', 'events', 'properties'] as const)
    checkNewFilters(filters[name], `${path}.${name}`)
}
