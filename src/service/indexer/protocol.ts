import type { QueryRequest, QueryResult } from './indexer.ts'
import type { QueryErrorCode } from './query-error.ts'
import type { ProcessEnd } from './quarantine/poison-policy.ts'

/** Where the indexer finds things, and its bounds. */
export interface IndexerSettings {
  readonly inboxFile: string
  /** Brought up to date by the parent. */
  readonly metadataFile: string
  /** Folder of the event stores; created when it is not there. */
  readonly eventsFolder: string
  /** Megabytes of memory for each open project. */
  readonly memoryMb: number
  /** Projects whose store is open at once. */
  readonly maxOpenStores: number
  /** MaxMind DB file that tells where addresses are; null for the countries that come with the service. */
  readonly geoDatabase: string | null
  /** Whether events are given the address they came from, as `$ip`. */
  readonly storeAddresses: boolean
}

/** Comes first. */
export interface StartMessage {
  readonly type: 'start'
  readonly settings: IndexerSettings
  /** Rows up to this one are stored. */
  readonly position: number
  /** How the process before this one ended, as far as is known. */
  readonly lastEnd: ProcessEnd
}

/** What the front tells the indexer. */
export type ToIndexer =
  | StartMessage
  | { readonly type: 'wake' }
  | { readonly type: 'query'; readonly id: number; readonly request: QueryRequest }
  /** To be answered with `pong`. */
  | { readonly type: 'ping' }
  | { readonly type: 'stop' }

/** What the indexer tells the front. */
export type FromIndexer =
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  /** Every row up to `position` is stored. */
  | { readonly type: 'progress'; readonly position: number }
  /** Nothing is left to do: the next `wake` will be heard. */
  | { readonly type: 'idle' }
  | { readonly type: 'warning'; readonly message: string }
  /** A project's store has seen rows up to `row`, which the inbox never gave: the project's rows must go above it. */
  | { readonly type: 'ahead'; readonly projectId: number; readonly row: number }
  /** An inbox row was set aside, whole or in part. */
  | { readonly type: 'rejected'; readonly message: string }
  | { readonly type: 'failure'; readonly reason: string | null }
  | { readonly type: 'answer'; readonly id: number; readonly result: QueryResult }
  | { readonly type: 'refusal'; readonly id: number; readonly code: QueryErrorCode; readonly detail: string }
