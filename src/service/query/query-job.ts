import type { QueryProgress } from '../indexer/query-control.ts'
import type { QueryError } from '../indexer/query-error.ts'

/** A query as its project sees it. Times are milliseconds since 1970. */
export interface QueryJob {
  /** Unique in its project. */
  readonly id: string
  readonly projectId: number
  /** Of the text of its work, which may be long. */
  readonly textHash: string
  /** Whether the result is kept for later, instead of being the response to the request. */
  readonly isAsync: boolean
  /** The name that the client gave to it. */
  readonly name: string | null
  /** When it was requested. */
  readonly startTime: number
  /** When it began to run; null while it waits, and if it never ran. */
  readonly pickupTime: number | null
  /** How far it is; null unless it runs, and while the store cannot tell. */
  readonly progress: QueryProgress | null
  /** Null until it has ended. */
  readonly end: QueryEnd | null
}

/** How a query has ended. */
export interface QueryEnd {
  readonly time: number
  /** When the query is forgotten. */
  readonly expirationTime: number
  /** Null for success. */
  readonly error: QueryError | null
  /** The result as JSON; null without one. */
  readonly resultJson: Buffer | null
}

/** The answer to a query, or why it has none. */
export type QueryOutcome = { readonly answer: object } | { readonly error: QueryError }
