import { resolveOptions } from './client-options.ts'
import type { ClientOptions } from './client-options.ts'
import { fillPath } from './fill-path.ts'
import type { QueryValues } from './fill-path.ts'
import type { ArgumentsOf, CallOptions, ItemOf, ListPath, Method, PathsWith, ResultOf } from './operation.ts'
import { readPages } from './read-pages.ts'
import type { QueryResponse } from './schema.ts'
import { createSend } from './send.ts'

/** The rows of a query. */
export interface QueryResult extends Omit<QueryResponse, 'results'> {
  /** The rows, each with a value per column. Integers and decimals that a number cannot hold exactly are strings. */
  readonly results: readonly (readonly unknown[])[]
}

/** Calls a path of the management API with one method. Rejects with `ManagementError`, or with the reason of the signal. */
export type Call<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...options: ArgumentsOf<P, M>
) => Promise<ResultOf<P, M>>

/**
 * A client of the management API. Paths, parameters, bodies and results have the types of the OpenAPI document of the service.
 *
 * A call that failed is repeated up to `maxRetries` times if the failure may pass (429, 5xx, no response) and the repetition is safe: by
 * `get`, `delete`, `list`, `pages` and `query`, never by `post` and `patch`.
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
  /** Runs one SELECT and resolves to its rows. */
  readonly query: (sql: string, options?: CallOptions) => Promise<QueryResult>
}

/** Options of any call, as the typed verbs pass them on. */
interface AnyOptions extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: QueryValues
  readonly body?: unknown
}

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

  return {
    get: createCall('get'),
    post: createCall('post'),
    patch: createCall('patch'),
    delete: createCall('delete'),
    pages: pages as Client['pages'],
    list: list as Client['list'],
    query: async (sql, callOptions = {}) => {
      const result = await send({
        method: 'POST',
        path: urlOf('/api/environments/{project_id}/query/', callOptions),
        body: { query: { kind: 'HogQLQuery', query: sql } },
        signal: callOptions.signal,
        isRepeatable: true,
      })
      return result as QueryResult
    },
  }
}
