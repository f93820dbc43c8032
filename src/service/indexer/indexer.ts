import type { AnswerOf, AskLimits, QuestionName, QuestionOf, SqlQuestion } from '../insight/question/questions.ts'
import type { QueryControl } from './query-control.ts'
import type { QueryResult } from './query-result.ts'

/**
 * The indexer as the front sees it: a child process that stores inbox rows as events and runs queries. When it dies, it is
 * restarted and continues at its position.
 */
export interface Indexer {
  /** Notifies the indexer of new inbox rows. Cheap; call it after every commit. */
  wake(): void
  /**
   * Runs one SELECT of at most 64 KiB on the store of one project. Settles when the query has ended in the store, so that running
   * queries can be counted. Rejects with `QueryError`.
   */
  query(request: QueryRequest, control?: QueryControl): Promise<QueryResult>
  /** Asks the store of one project a question. Settles and rejects as `query` does, which is one kind of question. */
  ask<Name extends QuestionName>(
    projectId: number,
    name: Name,
    question: QuestionOf<Name> & AskLimits,
    control?: QueryControl,
  ): Promise<AnswerOf<Name>>
  status(): IndexerStatus
  /** Interrupts running queries, waits for the running transaction, then ends the process. */
  stop(): Promise<void>
}

/** Maximum size of the SQL (64 KiB): planning time grows faster than the SQL, and planning cannot be interrupted. */
export const MAX_SQL_BYTES: number = 64 * 1024

export interface QueryRequest extends SqlQuestion, AskLimits {
  readonly projectId: number
}

export interface IndexerStatus {
  /** False while the process restarts, and while it runs but has not answered a ping for 3 seconds. */
  readonly alive: boolean
  /** True while an idle process is replaced to give back its memory (`IdleReplacement`): for a second or two. */
  readonly isBeingReplaced: boolean
  /** Every inbox row up to this id is in the event store, so the front may delete it. */
  readonly position: number
  /** Why events cannot be stored, or null. */
  readonly failure: string | null
  /** What an operator should know besides, such as requests that a store has lost; null if there is nothing. It is no failure. */
  readonly notice: string | null
  /** How far the move of the events to another store is, for which new ones wait; null while none runs. It is no failure. */
  readonly moving: string | null
  /** Inbox rows that were rejected, wholly or in part, since the service started. The log has the reason of each. */
  readonly rejected: number
}
