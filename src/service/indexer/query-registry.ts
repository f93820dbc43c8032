import type { AnswerOf, AskLimits, QuestionName, QuestionOf } from '../insight/question/questions.ts'
import { PING_MS } from './hang-watchdog.ts'
import type { FromIndexer, ToIndexer } from './protocol.ts'
import type { QueryControl, QueryProgress } from './query-control.ts'
import { QueryError } from './query-error.ts'

/** The queries that the indexer process runs for this one. Each is settled once: by its answer, at its timeout, or at the end of the process. */
export interface QueryRegistry {
  /** Sends a question to the process. Rejects with `QueryError`. */
  ask<Name extends QuestionName>(
    projectId: number,
    name: Name,
    question: QuestionOf<Name> & AskLimits,
    control?: QueryControl,
  ): Promise<AnswerOf<Name>>
  /** Handles a message about a query; ignores one about a query that was settled. */
  onMessage(message: QueryMessage): void
  /** Rejects all queries: the process has ended. */
  rejectAll(reason: string): void
  /** Queries that run in the process, including those that were answered at their timeout. */
  count(): number
}

type QueryMessage = Extract<FromIndexer, { type: 'query_progress' | 'query_result' | 'query_error' }>

export interface QueryRegistryOptions {
  readonly send: (message: ToIndexer) => void
  /** Whether a process takes questions. */
  readonly isAvailable: () => boolean
  /** Whether the process answers no pings at the moment. */
  readonly isBusy: () => boolean
  /** Milliseconds of processor time that the process has used in all of its threads, as far as it is known. */
  readonly cpuMs: () => number
  /** Kills the process, because a query did not stop. */
  readonly kill: () => void
}

/** Time after which a query that has not stopped at its timeout is answered without its process. */
const QUERY_GRACE_MS = 2000

/**
 * Time that such a query may run after that, by the clock and in processor time of its process. DuckDB cannot be interrupted while it plans,
 * nor in some steps of a window or a sort, so a query that still runs is ended by killing the process, which ends the queries of all projects.
 * On a machine that has little time for the process, such a step is only slow: more by the clock is no fault of the query.
 */
const STUCK_MS = 8000

/** Longest time by the clock that such a query gets in addition, while its process has used too little processor time or answers no pings. */
const SLOW_MACHINE_MS = 30_000

interface PendingQuery {
  readonly resolve: (result: AnswerOf<QuestionName>) => void
  readonly reject: (error: QueryError) => void
  readonly onProgress?: ((progress: QueryProgress) => void) | undefined
}

/** Stands for a query that was answered at its timeout, until the process responds. */
const ANSWERED: PendingQuery = { resolve: () => undefined, reject: () => undefined }

export const createQueryRegistry = ({
  send,
  isAvailable,
  isBusy,
  cpuMs,
  kill,
}: QueryRegistryOptions): QueryRegistry => {
  const queries = new Map<number, PendingQuery>()
  let nextId = 1

  /** Removes a query and returns it; undefined if it is settled already. */
  const take = (id: number): PendingQuery | undefined => {
    const query = queries.get(id)
    queries.delete(id)
    return query
  }

  /** Kills the process if it still runs a query that was answered at its timeout; the restarted process continues its other work. */
  const killStuck = (id: number, answered: { readonly atMs: number; readonly cpuMs: number }): void => {
    if (!queries.has(id)) return
    // A process that answers no pings may be busy with a large request.
    const mayBeSlow = isBusy() || cpuMs() - answered.cpuMs < STUCK_MS
    if (mayBeSlow && performance.now() - answered.atMs < STUCK_MS + SLOW_MACHINE_MS) {
      setTimeout(() => killStuck(id, answered), PING_MS).unref()
      return
    }
    kill()
  }

  const startTimeout = (id: number, timeoutMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      take(id)?.reject(new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`))
      queries.set(id, ANSWERED)
      const answered = { atMs: performance.now(), cpuMs: cpuMs() }
      setTimeout(() => killStuck(id, answered), STUCK_MS).unref()
    }, timeoutMs + QUERY_GRACE_MS).unref()

  return {
    ask: (projectId, name, question, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(new QueryError('cancelled', 'The query was cancelled.'))
          return
        }
        if (!isAvailable()) {
          reject(new QueryError('store_unavailable', 'The indexer is starting. Try the query again.'))
          return
        }
        const id = nextId++
        const timeout = startTimeout(id, question.timeoutMs)
        const cancel = (): void => send({ type: 'cancel', id })
        signal?.addEventListener('abort', cancel)
        const end = (): void => {
          clearTimeout(timeout)
          signal?.removeEventListener('abort', cancel)
        }
        queries.set(id, {
          resolve(result) {
            end()
            resolve(result)
          },
          reject(error) {
            end()
            reject(error)
          },
          onProgress,
        })
        send({ type: 'query', id, projectId, name, question })
      }),
    onMessage(message) {
      if (message.type === 'query_progress') queries.get(message.id)?.onProgress?.(message.progress)
      else if (message.type === 'query_result') take(message.id)?.resolve(message.result)
      else take(message.id)?.reject(new QueryError(message.code, message.detail))
    },
    rejectAll(reason) {
      for (const id of queries.keys())
        take(id)?.reject(new QueryError('store_unavailable', `${reason} Try the query again.`))
    },
    count: () => queries.size,
  }
}
