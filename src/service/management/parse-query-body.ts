import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { MAX_SQL_BYTES } from '../indexer/indexer.ts'
import { badRequest } from '../http-error.ts'
import type { YoungUntil } from '../insight/cache/is-young.ts'
import type { InsightKind } from '../insight/insight-queries.ts'
import { INSIGHT_KINDS } from '../insight/insight-queries.ts'
import { overrideFilters } from '../insight/query/override-filters.ts'
import { unwrapQuery } from '../insight/query/unwrap-query.ts'
import { isDeeperThan } from '../../wire/is-deeper-than.ts'
import { fillValues } from '../sql/fill-values.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import type { NewQuery } from '../query/queries.ts'
import { CLIENT_QUERY_ID, FORCED_MODES, JOB_MODES, LAZY_MODE, MAX_NAME_LENGTH, WAIT_MODES } from './schema/query.ts'

/** The body of a request that runs a query. */
export interface QueryBody extends Pick<NewQuery, 'id' | 'name'> {
  /** With the filters. */
  readonly query: ParsedQuery
  /** What the request has instead of the dates of an insight, and besides its filters; null for nothing. They may be invalid (`checkFilters`). */
  readonly filters: JsonObject | null
  /** Whether the query is a job, or the request waits for its result. */
  readonly isJob: boolean
  /** Whether it is computed even if a cached answer still holds. */
  readonly isForced: boolean
  /** Until when a cached answer is given in the place of a job, although it may not hold any more; null for never. */
  readonly youngUntil: YoungUntil | null
}

/** SQL, or the question of an insight; the schema of its kind has not checked it. */
export type ParsedQuery =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'insight'; readonly insightKind: InsightKind; readonly query: JsonObject }

/** The field of the body with the filters. */
export const OVERRIDE = 'filters_override'

/** The field of the body with the variables of SQL. */
export const VARIABLES = 'variables_override'

/** Parses the body of a request that runs a query. Throws `HttpError` (400). */
export const parseQueryBody = (body: JsonObject, syntax: SqlSyntax): QueryBody => {
  const query = parseQuery(body['query'], syntax)
  if (!isEmpty(body[VARIABLES]))
    throw badRequest('invalid_input', `"${VARIABLES}" must be empty: SQL has no variables.`, VARIABLES)
  const filters = parseOverride(query, body[OVERRIDE])
  const isJob = parseIsJob(body)
  const { refresh } = body
  const isForced = FORCED_MODES.some((mode) => mode === refresh)
  return {
    query:
      filters === null || query.kind === 'sql' ? query : { ...query, query: overrideFilters(query.query, filters) },
    filters,
    isJob,
    isForced,
    youngUntil: !isJob || isForced ? null : refresh === LAZY_MODE ? 'cache_target_age' : 'next_allowed_client_refresh',
    id: parseId(body['client_query_id']),
    name: parseName(body['name']),
  }
}

/** The kinds of nodes with SQL. */
export const SQL_KINDS: readonly unknown[] = ['SQLQuery', 'HogQLQuery']

/** Fields of SQL that would change its answer. */
const REFUSED_SQL_FIELDS = ['variables', 'filters', 'explain'] as const

/** Parses SQL, as `'select …'` or `{kind: 'SQLQuery' | 'HogQLQuery', query: 'select …'}`, or the query of an insight. */
export const parseQuery = (input: Json | undefined, syntax: SqlSyntax): ParsedQuery => {
  if (!isRecord(input)) return { kind: 'sql', sql: parseSql(input) }
  const query = unwrapQuery(input)
  const { kind } = query
  if (SQL_KINDS.includes(kind)) return { kind: 'sql', sql: parseSqlNode(query, syntax) }
  const insightKind = typeof kind === 'string' ? INSIGHT_KINDS.get(kind) : undefined
  if (insightKind !== undefined) return { kind: 'insight', insightKind, query }
  const kinds = [...SQL_KINDS, ...INSIGHT_KINDS.keys()].join(', ')
  throw badRequest('unknown_query_kind', `"query.kind" must be one of ${kinds}.`, 'query')
}

const OVERRIDE_FIELDS: readonly string[] = ['date_from', 'date_to', 'properties']

/** The dates and filters of a request, as a dashboard has them, if the query can have them; null for none. Throws `HttpError` (400). */
const parseOverride = (query: ParsedQuery, filters: Json = null): JsonObject | null => {
  if (filters === null) return null
  if (!isRecord(filters)) throw badRequest('invalid_input', `"${OVERRIDE}" must be a JSON object.`, OVERRIDE)
  const names = Object.keys(filters).filter((name) => !isEmpty(filters[name]))
  if (names.length === 0) return null
  if (query.kind === 'sql')
    throw badRequest('invalid_input', `"${OVERRIDE}" must be empty: SQL has its own conditions.`, OVERRIDE)
  const other = names.find((name) => !OVERRIDE_FIELDS.includes(name))
  if (other !== undefined) {
    const path = `${OVERRIDE}.${other}`
    const detail = `"${path}" must be missing; it may have ${OVERRIDE_FIELDS.join(', ')}. Change the query itself.`
    throw badRequest('invalid_input', detail, path)
  }
  const reason = whyNoDates(query.query)
  if (reason !== null && names.some((name) => name !== 'properties'))
    throw badRequest('invalid_input', `"${OVERRIDE}" must have no dates; ${reason}.`, OVERRIDE)
  return filters
}

/** Why a query has no range of dates; null if it has one. */
const whyNoDates = ({ kind, source = null }: JsonObject): string | null => {
  if (kind === 'EventsQuery') return 'an EventsQuery has "after" and "before"'
  return kind === 'ActorsQuery' && source === null ? 'an ActorsQuery without "source" lists persons of all times' : null
}

/** The SQL of a query, with its values. */
const parseSqlNode = (query: JsonObject, syntax: SqlSyntax): string => {
  const refused = REFUSED_SQL_FIELDS.find((field) => !isEmpty(query[field]))
  if (refused !== undefined)
    throw badRequest('invalid_input', `"query.${refused}" must be empty: write it in the SQL.`, `query.${refused}`)
  const values = query['values'] ?? {}
  if (!isRecord(values)) throw badRequest('invalid_input', '"query.values" must be a JSON object.', 'query.values')
  const filled = fillValues(parseSql(query['query']), values, MAX_SQL_BYTES, syntax)
  if ('sql' in filled) return parseSql(filled.sql)
  const { name, problem } = filled
  throw badRequest('invalid_input', `The value of {${name}} in "query.values" ${problem}.`, 'query.values')
}

/** Levels of a field that says nothing: more of them are no mistake of a client. */
const MAX_EMPTY_LEVELS = 16

/** Whether a field says nothing, however clients write that. */
const isEmpty = (value: Json = null): boolean => !isDeeperThan(value, MAX_EMPTY_LEVELS) && hasNoContent(value)

const hasNoContent = (value: Json): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(hasNoContent))

const parseSql = (sql: Json | undefined): string => {
  if (typeof sql !== 'string' || sql.trim() === '') {
    throw badRequest(
      'missing_query',
      '"query" is missing; send SQL as the string "query", or as "query.query" besides "query.kind".',
      'query',
    )
  }
  // Also checked where the SQL is planned. Here it keeps long SQL from waiting in memory.
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES)
    throw badRequest('query_invalid', `The query is longer than ${MAX_SQL_BYTES} bytes.`, 'query')
  return sql
}

const parseIsJob = ({ refresh = null, async: isAsync = null }: JsonObject): boolean => {
  if (isAsync !== null && typeof isAsync !== 'boolean')
    throw badRequest('invalid_input', '"async" must be true or false.', 'async')
  const modes: readonly unknown[] = [...JOB_MODES, ...WAIT_MODES]
  if (refresh !== null && typeof refresh !== 'boolean' && !modes.includes(refresh))
    throw badRequest('invalid_choice', `"refresh" must be true, false or one of ${modes.join(', ')}.`, 'refresh')
  return isAsync === true || JOB_MODES.some((mode) => mode === refresh)
}

const parseId = (id: unknown = null): string | null => {
  if (id === null || (typeof id === 'string' && CLIENT_QUERY_ID.test(id))) return id
  throw badRequest(
    'invalid_input',
    '"client_query_id" must be 1 to 128 letters, digits, hyphens and underscores, such as a UUID.',
    'client_query_id',
  )
}

const parseName = (name: unknown = null): string | null => {
  if (name === null || name === '') return null
  if (typeof name === 'string' && name.length <= MAX_NAME_LENGTH) return name
  throw badRequest('invalid_input', `"name" must be a string of at most ${MAX_NAME_LENGTH} characters.`, 'name')
}
