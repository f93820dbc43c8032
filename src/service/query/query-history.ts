/** A query that has ended. */
export interface EndedQuery {
  readonly id: string
  readonly projectId: number
  /** Milliseconds since 1970. */
  readonly expirationTime: number
  /** Bytes of its result; 0 without one. */
  readonly resultBytes: number
}

/**
 * Remembers queries that have ended, until they expire. When there is no room, the project that takes most of it loses its oldest:
 * first results, whose queries stay; when there are too many queries, a query.
 */
export interface QueryHistory<Query extends EndedQuery> {
  /** Adds a query; replaces one with the same id. */
  add(query: Query, now: number): void
  find(projectId: number, id: string, now: number): Query | undefined
  /** Forgets all queries that have expired. */
  removeExpired(now: number): void
}

export interface QueryHistoryOptions<Query> {
  /** Queries of all projects. */
  readonly maxQueries: number
  /** Bytes of the results of all projects. */
  readonly maxResultBytes: number
  /** The same query without its result. */
  readonly withoutResult: (query: Query) => Query
}

interface ProjectHistory<Query> {
  /** By id, the oldest first. */
  readonly queries: Map<string, Query>
  resultBytes: number
}

export const createQueryHistory = <Query extends EndedQuery>({
  maxQueries,
  maxResultBytes,
  withoutResult,
}: QueryHistoryOptions<Query>): QueryHistory<Query> => {
  const projects = new Map<number, ProjectHistory<Query>>()
  let count = 0
  let totalBytes = 0

  const countBytes = (history: ProjectHistory<Query>, bytes: number): void => {
    history.resultBytes += bytes
    totalBytes += bytes
  }

  const remove = (query: Query): void => {
    const history = projects.get(query.projectId)!
    history.queries.delete(query.id)
    count -= 1
    countBytes(history, -query.resultBytes)
    if (history.queries.size === 0) projects.delete(query.projectId)
  }

  const removeResult = (history: ProjectHistory<Query>): void => {
    for (const [id, query] of history.queries) {
      if (query.resultBytes === 0) continue
      // The query keeps its place.
      history.queries.set(id, withoutResult(query))
      countBytes(history, -query.resultBytes)
      return
    }
  }

  const findLargest = (sizeOf: (history: ProjectHistory<Query>) => number): ProjectHistory<Query> => {
    const [first, ...others] = projects.values()
    return others.reduce((largest, history) => (sizeOf(history) > sizeOf(largest) ? history : largest), first!)
  }

  const hasTooManyBytes = (): boolean => totalBytes > maxResultBytes
  const hasTooManyQueries = (): boolean => count > maxQueries

  const removeExpired = (now: number): void => {
    for (const history of projects.values())
      for (const query of history.queries.values()) {
        // All have the same time to live, so that the later ones have not expired either.
        if (query.expirationTime > now) break
        remove(query)
      }
  }

  const find = (projectId: number, id: string): Query | undefined => projects.get(projectId)?.queries.get(id)

  return {
    add(query, now) {
      removeExpired(now)
      const replaced = find(query.projectId, query.id)
      if (replaced !== undefined) remove(replaced)
      const history = projects.get(query.projectId) ?? { queries: new Map<string, Query>(), resultBytes: 0 }
      projects.set(query.projectId, history)
      history.queries.set(query.id, query)
      count += 1
      countBytes(history, query.resultBytes)
      while (hasTooManyBytes()) removeResult(findLargest(({ resultBytes }) => resultBytes))
      while (hasTooManyQueries())
        remove(
          findLargest(({ queries }) => queries.size)
            .queries.values()
            .next().value!,
        )
    },
    find(projectId, id, now) {
      const query = find(projectId, id)
      return query === undefined || query.expirationTime <= now ? undefined : query
    },
    removeExpired,
  }
}
