import type { AnswerOf, AskLimits, QuestionName, QuestionOf } from '../insight/question/questions.ts'
import type { QueryProgress } from './query-control.ts'
import type { QueryErrorCode } from './query-error.ts'
import type { EventsSource } from '../store/events/events-source.ts'
import type { MetadataSource } from '../store/metadata/open.ts'
import type { CompleteCopies } from './move/move-options.ts'
import type { ExitKind } from './quarantine/poison-policy.ts'

// The messages between the front (the HTTP process) and the indexer. They are internal to one installed version: both
// processes must come from the same package, so restart the service after an upgrade.

/** The files and limits of the indexer. */
export interface IndexerSettings {
  readonly inboxFile: string
  /** Must be migrated by the front before the indexer starts. */
  readonly metadata: MetadataSource
  /** The id of this data folder in the metadata. */
  readonly nodeId: string
  /** A folder is created if it is missing; a server must have been checked by the front. */
  readonly events: EventsSource
  /** Where the events are, if they are moved to `events` before anything is indexed. Default: they are not moved. */
  readonly moveFrom?: EventsSource | undefined
  /** Memory limit of each open project's store in a folder, in megabytes. */
  readonly memoryMb: number
  /** Maximum number of stores that are open at once. */
  readonly maxOpenStores: number
  /** MaxMind DB file for the location of IP addresses; null for the country database of the service. */
  readonly geoDatabase: string | null
  /** Whether events get the IP address of their request as `$ip`. */
  readonly storeAddresses: boolean
}

/** The first message to the indexer. A second one follows when it has moved events. */
export interface StartMessage {
  readonly type: 'start'
  readonly settings: IndexerSettings
  /** Rows up to this id are stored. */
  readonly position: number
  /** How the previous indexer process ended, as far as the front can tell. */
  readonly previousExit: ExitKind
}

/** Messages from the front to the indexer. */
export type ToIndexer =
  | StartMessage
  | { readonly type: 'wake' }
  | {
      readonly type: 'query'
      readonly id: number
      readonly projectId: number
      readonly name: QuestionName
      readonly question: QuestionOf<QuestionName> & AskLimits
    }
  /** Ends a query, which then responds with `query_error`. */
  | { readonly type: 'cancel'; readonly id: number }
  /** The indexer responds with `pong`. */
  | { readonly type: 'ping' }
  | { readonly type: 'stop' }

/** Messages from the indexer to the front. */
export type FromIndexer =
  | { readonly type: 'ready'; readonly pid: number }
  /** With the milliseconds of processor time that the process has used in all of its threads. */
  | { readonly type: 'pong'; readonly cpuMs: number }
  /** Every row up to `position` is stored. */
  | { readonly type: 'progress'; readonly position: number }
  /** No unread row is left; the indexer now waits for `wake`. `memoryMb` is the memory of the process in megabytes. */
  | { readonly type: 'idle'; readonly memoryMb: number }
  | { readonly type: 'warning'; readonly message: string }
  /** What an operator should know for as long as the service runs, such as a loss. It is no failure. */
  | { readonly type: 'notice'; readonly message: string }
  /** A project's store has rows up to `row`, which the inbox never assigned: the inbox must number the project's rows above it. */
  | { readonly type: 'store_ahead'; readonly projectId: number; readonly row: number }
  /** An inbox row was rejected, wholly or in part. */
  | { readonly type: 'rejected'; readonly message: string }
  | { readonly type: 'failure'; readonly reason: string | null }
  /** How far the move of the events is, for which new ones wait. */
  | { readonly type: 'moving'; readonly notice: string }
  /** All events are copied. The front finishes the move, and sends `start` again, without it. */
  | { readonly type: 'moved'; readonly copies: CompleteCopies }
  | { readonly type: 'query_progress'; readonly id: number; readonly progress: QueryProgress }
  | { readonly type: 'query_result'; readonly id: number; readonly result: AnswerOf<QuestionName> }
  | { readonly type: 'query_error'; readonly id: number; readonly code: QueryErrorCode; readonly detail: string }
