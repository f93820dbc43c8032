import * as Type from 'typebox'
import { isDeeperThan } from '../../wire/is-deeper-than.ts'
import type { JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import type { AnswerCache } from '../insight/cache/answer-cache.ts'
import { createInsightWork } from '../insight/insight-work.ts'
import type { InsightAnswer } from '../insight/insight-work.ts'
import type { QueryWork, SqlAnswer } from '../query/query-work.ts'
import { createSqlWork } from '../query/query-work.ts'
import { findSchemaError } from '../schema/find-schema-error.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { namedSchemas } from './schema/named-schemas.ts'
import type { ParsedQuery } from './parse-query-body.ts'

/** What queries are answered with. */
export interface QueryWorkOptions {
  readonly metadata: Metadata
  readonly cache: AnswerCache
  /** That of the event stores. */
  readonly syntax: SqlSyntax
  /** Rows of the answer to SQL. */
  readonly maxRows: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Largest query, in bytes of JSON (64 KiB). */
const MAX_QUERY_BYTES = 64 * 1024
/** Deepest nesting of a query. */
export const MAX_QUERY_NESTING = 64

/**
 * Throws `HttpError` (400) for a query, or filters of queries, that are too large to keep or to parse.
 *
 * @param name The field of the body, for errors.
 */
export const checkQuerySize = (query: JsonObject, name = 'query'): void => {
  if (isDeeperThan(query, MAX_QUERY_NESTING))
    throw badRequest('invalid_query', `"${name}" is nested in more than ${MAX_QUERY_NESTING} levels.`, name)
  if (Buffer.byteLength(JSON.stringify(query)) > MAX_QUERY_BYTES)
    throw badRequest('invalid_query', `"${name}" must be at most ${MAX_QUERY_BYTES} bytes of JSON.`, name)
}

/** Throws `HttpError` (400) for a query of an insight that is not as the schema of its kind says. */
export const checkQuery = async (query: ParsedQuery): Promise<void> => {
  if (query.kind === 'sql') return
  checkQuerySize(query.query)
  const { schema: ofKind, narrow } = query.insightKind
  const schema = Type.Object({ query: narrow?.(query.query) ?? ofKind })
  const error = findSchemaError(await import('../schema/schema-tools.ts'), namedSchemas, schema, { query: query.query })
  if (error !== null) throw error
}

/**
 * Creates the work of a query. Rejects with `HttpError` (400) for an invalid query.
 *
 * @param isForced Whether an insight is computed even if a cached answer still holds.
 */
export const createQueryWork = async (
  query: ParsedQuery,
  projectId: number,
  isForced: boolean,
  { maxRows, ...options }: QueryWorkOptions,
): Promise<QueryWork<SqlAnswer | InsightAnswer>> => {
  await checkQuery(query)
  if (query.kind === 'sql') return createSqlWork(query.sql, maxRows)
  return createInsightWork(query.insightKind, query.query, { ...options, projectId, isForced })
}
