import { randomUUID } from 'node:crypto'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { getProject } from '../auth/request-access.ts'
import type { Indexer, QueryResult } from '../indexer/indexer.ts'
import { QueryError } from '../indexer/query-error.ts'
import { badRequest, HttpError, unavailable } from '../http-error.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json } from '../../wire/json.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { skipBodyCheck } from '../schema/skip-checks.ts'
import { refTo } from '../schema/types.ts'
import type { Api } from './api.ts'
import { QueryInput, QueryResponseSchema } from './schema/query.ts'

/** Dependencies and limits of queries. */
export interface QueryOptions {
  readonly indexer: Indexer
  readonly timeoutMs: number
  readonly maxRows: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type QueryResponse = Static<typeof QueryResponseSchema>

/** Adds the route that runs a query and waits for its result. */
export const addQuery = (api: Api, options: QueryOptions): void => {
  const runBody = createQuery(options)
  api.post(
    '/query/',
    {
      config: { access: { kind: 'personalKey', scope: 'query:read' } },
      schema: {
        operationId: 'query_create',
        summary: 'Runs a query and waits for the result',
        tags: ['query'],
        params: Type.Object(ProjectParams),
        body: skipBodyCheck(QueryInput),
        response: {
          200: refTo(QueryResponseSchema, { description: 'The rows.' }),
          504: refTo(ApiErrorSchema, { description: 'The query took too long.' }),
        },
      },
    },
    async (request) => runBody(getProject(request).project.id, request.body as Json),
  )
}

/** Creates the function that runs the query in a request body and waits for the result. Throws `HttpError`. */
const createQuery =
  ({ indexer, timeoutMs, maxRows, now }: QueryOptions) =>
  async (projectId: number, body: Json): Promise<QueryResponse> => {
    const sql = parseSql(body)
    const startTime = new Date(now()).toISOString()
    const result = await runQuery(indexer, { projectId, sql, timeoutMs, maxRows })
    return {
      columns: [...result.columns],
      types: [...result.types],
      results: result.rows,
      hasMore: result.hasMore,
      query_status: {
        id: randomUUID(),
        complete: true,
        error: false,
        query_async: false,
        team_id: projectId,
        dashboard_id: null,
        end_time: new Date(now()).toISOString(),
        error_message: null,
        expiration_time: null,
        insight_id: null,
        labels: null,
        pickup_time: startTime,
        query_progress: null,
        results: null,
        start_time: startTime,
        task_id: null,
      },
    }
  }

/** Reads the SQL from a body: `{query: 'select …'}`, or `{query: {kind: 'SQLQuery' | 'HogQLQuery', query: 'select …'}}`. */
const parseSql = (body: Json): string => {
  const query = isRecord(body) ? body['query'] : undefined
  if (isRecord(query) && query['kind'] !== 'SQLQuery' && query['kind'] !== 'HogQLQuery') {
    throw badRequest('unknown_query_kind', '"query.kind" must be "SQLQuery" or "HogQLQuery".', 'query')
  }
  const sql = isRecord(query) ? query['query'] : query
  if (typeof sql === 'string' && sql.trim() !== '') return sql
  throw badRequest(
    'missing_query',
    '"query" is missing; send SQL as the string "query", or as "query.query" besides "query.kind".',
    'query',
  )
}

const runQuery = async (indexer: Indexer, request: Parameters<Indexer['query']>[0]): Promise<QueryResult> => {
  try {
    return await indexer.query(request)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    if (error.code === 'store_unavailable') throw unavailable(error.code, error.message, 1, error)
    if (error.code === 'timeout') {
      // 504 because the service took too long, not the client. 408 would make clients send the same request again.
      throw new HttpError(
        504,
        { type: 'server_error', code: error.code, detail: error.message, attr: 'query' },
        { cause: error },
      )
    }
    throw badRequest(`query_${error.code}`, error.message, 'query', error)
  }
}
