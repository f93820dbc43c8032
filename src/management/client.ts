import { resolveOptions } from './client-options.ts'
import type { ClientOptions } from './client-options.ts'
import { fillPath } from './fill-path.ts'
import type { QueryValues } from './fill-path.ts'
import type { ArgumentsOf, CallOptions, ItemOf, ListPath, Method, PathsWith, ResultOf } from './operation.ts'
import { readPages } from './read-pages.ts'
import type {
  ActorsQuery,
  EventsQuery,
  FunnelsQuery,
  InsightResponse,
  LifecycleQuery,
  PathsQuery,
  QueryResponse,
  QueryStatus,
  QueryStatusResponse,
  RetentionQuery,
  StickinessQuery,
  TrendsQuery,
} from './schema.ts'
import { createSend } from './send.ts'
import { cancelQuery, waitForQuery } from './wait-for-query.ts'

/** How to start a query as a job. */
export interface StartQueryOptions extends CallOptions {
  /** A name for people, of at most 128 characters; it is in the `labels` of the status. */
  readonly name?: string | undefined
}

/** How to wait for a query. */
export interface WaitForQueryOptions extends StartQueryOptions {
  /**
   * Called with the status at the start, then at intervals that grow to a second, and at the end. While the query waits for a slot, `pickup_time` is
   * null; while it runs, `query_progress` tells how far it is.
   */
  readonly onProgress?: ((status: QueryStatus) => void) | undefined
}

/** The query of an insight. */
export type InsightQuery =
  | TrendsQuery
  | FunnelsQuery
  | RetentionQuery
  | StickinessQuery
  | LifecycleQuery
  | PathsQuery
  | ActorsQuery
  | EventsQuery

/** One SELECT, or the query of an insight. */
export type QueryInput = string | InsightQuery

/** The rows of a SELECT, or the answer to an insight. */
export type ResponseTo<Input extends QueryInput> = Input extends string ? QueryResponse : InsightResponse

/** A query to wait for: SQL or the query of an insight, which is started as a job, or the id of a job. */
export type QueryToWaitFor = { readonly sql: string } | { readonly insight: InsightQuery } | { readonly id: string }

/** Calls a path of the management API with one method. Rejects with `ManagementError`, or with the reason of the signal. */
export type Call<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...options: ArgumentsOf<P, M>
) => Promise<ResultOf<P, M>>

/**
 * A client of the management API. Paths, parameters, bodies and results have the types of the OpenAPI document of the service.
 *
 * A call that failed is repeated up to `maxRetries` times if the failure may pass (429, 5xx, no response) and the repetition is safe. So
 * `post` and `patch` are never repeated.
 */
export interface Client {
  readonly get: Call<'get'>
  readonly post: Call<'post'>
  readonly patch: Call<'patch'>
  /** A `delete` that was repeated may reject with 404: the first attempt has deleted it, but its response was lost. */
  readonly delete: Call<'delete'>
  /** Reads the items of a list, page by page. `query.limit` is the number of items per request (default 100, at most 1,000). */
  readonly list: <P extends ListPath>(
    path: P,
    ...options: ArgumentsOf<P, 'get'>
  ) => AsyncGenerator<ItemOf<P>, void, undefined>
  /** Reads the pages of a list. */
  readonly pages: <P extends ListPath>(
    path: P,
    ...options: ArgumentsOf<P, 'get'>
  ) => AsyncGenerator<ResultOf<P, 'get'>, void, undefined>
  /** Runs a query and resolves to its rows or its answer. The service cancels it when the signal is aborted, because the connection closes. */
  readonly query: <Input extends QueryInput>(query: Input, options?: CallOptions) => Promise<ResponseTo<Input>>
  /** Starts a query as a job, and resolves to its status at once. */
  readonly startQuery: (query: QueryInput, options?: StartQueryOptions) => Promise<QueryStatus>
  /**
   * Waits for a job, which no timeout of a request or a proxy ends, and resolves to its rows, or to the answer to an insight. Rejects with `QueryFailedError` if it ends
   * without them. When the signal is aborted, the job is cancelled in the service, also one that was started before.
   */
  readonly waitForQuery: <Query extends QueryToWaitFor>(
    query: Query,
    options?: WaitForQueryOptions,
  ) => Promise<Query extends { readonly insight: InsightQuery } ? InsightResponse : QueryResponse>
}

/** Options of any call, as the typed verbs pass them on. */
interface AnyOptions extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: QueryValues
  readonly body?: unknown
}

const QUERIES = '/api/environments/{project_id}/query/'

const HTTP_METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const

/** Creates a client. Sends nothing. Throws `TypeError` for an invalid option. */
export const createClient = (options: ClientOptions): Client => {
  const resolved = resolveOptions(options)
  const send = createSend(resolved)
  const urlOf = (path: string, { projectId = resolved.projectId, path: values, query }: AnyOptions): string =>
    fillPath(path, { ...values, project_id: projectId }, query)

  const createCall = <M extends Method>(method: M): Call<M> =>
    (async (path: string, callOptions: AnyOptions = {}) => {
      const { body, signal } = callOptions
      return send({ method: HTTP_METHODS[method], path: urlOf(path, callOptions), body, signal })
    }) as Call<M>

  const pages = (path: string, callOptions: AnyOptions = {}) =>
    readPages(send, urlOf(path, callOptions), callOptions.signal)
  const list = async function* (path: string, callOptions?: AnyOptions) {
    for await (const page of pages(path, callOptions)) yield* page.results
  }

  const queryPath = (id: string, callOptions: AnyOptions): string =>
    urlOf(`${QUERIES}{id}/`, { ...callOptions, path: { id } })
  /** The id makes the request repeatable: it names the same job. */
  const startJob = async (id: string, query: QueryInput, startOptions: StartQueryOptions): Promise<QueryStatus> => {
    const { name, signal } = startOptions
    const response = await send({
      method: 'POST',
      path: urlOf(QUERIES, startOptions),
      body: { query: toNode(query), refresh: 'force_async', client_query_id: id, name },
      signal,
      isRepeatable: true,
    })
    return (response as QueryStatusResponse).query_status
  }

  return {
    get: createCall('get'),
    post: createCall('post'),
    patch: createCall('patch'),
    delete: createCall('delete'),
    pages: pages as Client['pages'],
    list: list as Client['list'],
    query: (async (query: QueryInput, callOptions: CallOptions = {}) => {
      const result = await send({
        method: 'POST',
        path: urlOf(QUERIES, callOptions),
        body: { query: toNode(query) },
        signal: callOptions.signal,
        isRepeatable: true,
      })
      return result
    }) as Client['query'],
    startQuery: async (query, startOptions = {}) => {
      const id = createQueryId()
      // Before the start there is nothing to cancel.
      startOptions.signal?.throwIfAborted()
      try {
        return await startJob(id, query, startOptions)
      } catch (error) {
        if (startOptions.signal?.aborted) await cancelQuery(send, queryPath(id, startOptions))
        throw error
      }
    },
    waitForQuery: (async (query: QueryToWaitFor, waitOptions: WaitForQueryOptions = {}) => {
      const id = 'id' in query ? query.id : createQueryId()
      if (!('id' in query)) waitOptions.signal?.throwIfAborted()
      const start =
        'id' in query ? {} : { start: () => startJob(id, 'sql' in query ? query.sql : query.insight, waitOptions) }
      const status = await waitForQuery(send, { ...start, path: queryPath(id, waitOptions) }, waitOptions)
      // A job that ended without an error has a result.
      return { ...status.results!, query_status: { ...status, results: null } }
    }) as Client['waitForQuery'],
  }
}

const toNode = (query: QueryInput): object => (typeof query === 'string' ? { kind: 'HogQLQuery', query } : query)

/** Not `randomUUID`, which pages have only over HTTPS. */
const createQueryId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
