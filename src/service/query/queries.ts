import { createHash, randomUUID } from 'node:crypto'
import type { Indexer } from '../indexer/indexer.ts'
import type { QueryControl } from '../indexer/query-control.ts'
import { QueryError } from '../indexer/query-error.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import { noop } from '../noop.ts'
import { askWithin } from './ask-within.ts'
import { createEndedQueries } from './ended-queries.ts'
import type { QueryJob, QueryOutcome } from './query-job.ts'
import { createQueryQueue } from './query-queue.ts'
import type { QueryWork } from './query-work.ts'

/** A query that a client sends. */
export interface NewQuery<Answer extends object = object> {
  readonly projectId: number
  readonly work: QueryWork<Answer>
  /** Chosen by the client; null for a new one. */
  readonly id: string | null
  /** A name for people. */
  readonly name: string | null
}

/**
 * The queries of all projects. They wait for a slot, run in the indexer process, and are remembered for a while. They are in the
 * memory of this process, which outlives the indexer: when that dies, its running queries end with an error and the others wait.
 */
export interface Queries {
  /** Runs a query and resolves to its answer. Rejects with `QueryError`. When `signal` is aborted, the query is cancelled. */
  run<Answer extends object>(
    query: NewQuery<Answer>,
    signal: AbortSignal,
  ): Promise<{ readonly job: QueryJob; readonly answer: Answer }>
  /**
   * Starts a query as a job. An id that already names a job of the project with the same work stands for that job, so that a client
   * can safely repeat the request. Throws `QueryError`.
   */
  start(query: NewQuery): QueryJob
  /** Starts a query as a job, unless a job of the project with the same work waits or runs: that one stands for it. Throws `QueryError`. */
  startOnce(query: Omit<NewQuery, 'id'>): QueryJob
  /** The query with this id in a project; null if it is unknown, or no longer remembered. */
  find(projectId: number, id: string): QueryJob | null
  /** Cancels a query, unless it has ended; returns whether it is known. */
  cancel(projectId: number, id: string): boolean
  /** Ends all queries and refuses new ones. */
  close(): void
}

/** Dependencies and limits of the queries. */
export interface QueriesParts {
  readonly indexer: Pick<Indexer, 'ask' | 'status'>
  /** Milliseconds that a query may run. */
  readonly timeoutMs: number
  /** Bytes of the results that are kept for all jobs, as JSON. */
  readonly maxResultBytes: number
  /** Milliseconds since 1970. May jump. */
  readonly now: () => number
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
}

/** Slots; the indexer runs a few more queries than these (`MAX_QUERIES` in `indexer/main.ts`). */
const MAX_RUNNING = 8
const MAX_RUNNING_PER_PROJECT = 2

/** Waiting queries. Each holds up to 64 KiB of SQL, or a query of an insight. */
const MAX_WAITING = 1000
const MAX_WAITING_PER_PROJECT = 50

/** How long a client may wait for a slot; with the time that the query then takes by default it stays below a minute. */
const MAX_CLIENT_WAIT_MS = 20_000

/** How long a job may wait for a slot. */
const MAX_JOB_WAIT_MS = 30 * 60_000

/** Interval at which waiting queries look for the indexer while it is restarted. */
const READY_POLL_MS = 100

/** A query that has not ended. */
interface ActiveQuery {
  job: QueryJob
  readonly work: QueryWork
  readonly canceller: AbortController
  readonly waitTimer: NodeJS.Timeout
  readonly settle: (outcome: QueryOutcome) => void
}

export const createQueries = ({ indexer, timeoutMs, maxResultBytes, now, onError }: QueriesParts): Queries => {
  const queue = createQueryQueue<ActiveQuery>({
    maxRunning: MAX_RUNNING,
    maxRunningPerProject: MAX_RUNNING_PER_PROJECT,
    maxWaiting: MAX_WAITING,
    maxWaitingPerProject: MAX_WAITING_PER_PROJECT,
  })
  const activeQueries = new Map<string, ActiveQuery>()
  const endedQueries = createEndedQueries({ maxResultBytes, now })
  let readyTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const find = (projectId: number, id: string): QueryJob | null =>
    activeQueries.get(keyOf(projectId, id))?.job ?? endedQueries.find(projectId, id) ?? null

  const findActiveJob = (projectId: number, textHash: string): QueryJob | null => {
    for (const { job } of activeQueries.values())
      if (job.isAsync && job.projectId === projectId && job.textHash === textHash) return job
    return null
  }

  /** Ends a query for its project. Its slot is free only when it has also ended in the indexer. */
  const end = (active: ActiveQuery, outcome: QueryOutcome): void => {
    const { job } = active
    if (job.end !== null) return
    clearTimeout(active.waitTimer)
    active.job = endedQueries.add(job, outcome)
    activeQueries.delete(keyOf(job.projectId, job.id))
    active.settle(outcome)
  }

  const runInIndexer = async (active: ActiveQuery): Promise<void> => {
    clearTimeout(active.waitTimer)
    const { projectId } = active.job
    active.job = { ...active.job, pickupTime: now() }
    const control: QueryControl = {
      signal: active.canceller.signal,
      onProgress: (progress) => {
        if (active.job.end === null) active.job = { ...active.job, progress }
      },
    }
    try {
      end(active, { answer: await active.work.answer(askWithin(timeoutMs, { indexer, projectId, control })) })
    } catch (error) {
      const queryError = toQueryError(error)
      if (queryError === null) onError(error)
      end(active, { error: queryError ?? toInternalError(error) })
    } finally {
      queue.release(projectId)
      runWaiting()
    }
  }

  const canRun = (): boolean => !isClosed && indexer.status().alive

  const runWaiting = (): void => {
    clearTimeout(readyTimer)
    while (canRun()) {
      const active = queue.next()
      if (active === undefined) return
      void runInIndexer(active)
    }
    // A query that would fail only because the indexer restarts waits instead.
    if (!isClosed && queue.waiting() > 0) readyTimer = setTimeout(runWaiting, READY_POLL_MS).unref()
  }

  const stopWaiting = (active: ActiveQuery): void => {
    if (!queue.remove(active.job.projectId, active)) return
    const reason = indexer.status().alive ? 'Too many queries run or wait.' : 'The indexer is not running.'
    end(active, {
      error: new QueryError('service_busy', `The query has waited too long. ${reason} Send it again later.`),
    })
  }

  const cancel = (active: ActiveQuery, error: QueryError): void => {
    queue.remove(active.job.projectId, active)
    active.canceller.abort()
    end(active, { error })
  }

  /** Adds a query to the queue. Throws `QueryError` when it is refused. */
  const add = (query: NewQuery, isAsync: boolean, settle: ActiveQuery['settle']): ActiveQuery => {
    if (isClosed) throw new QueryError('store_unavailable', 'The service is stopping.')
    const { projectId, work, name, id } = query
    const job: QueryJob = {
      id: id ?? randomUUID(),
      projectId,
      textHash: hash(work.text),
      name,
      isAsync,
      startTime: now(),
      pickupTime: null,
      progress: null,
      end: null,
    }
    const key = keyOf(projectId, job.id)
    const known = find(projectId, job.id)
    // Only a query that was answered may be replaced, by another one with a waiting client.
    if (known !== null && (known.end === null || known.isAsync || isAsync))
      throw new QueryError('id_in_use', `Another query of this project has the id "${job.id}".`)
    const waitTimer = setTimeout(() => stopWaiting(active), isAsync ? MAX_JOB_WAIT_MS : MAX_CLIENT_WAIT_MS).unref()
    const active: ActiveQuery = { job, work, canceller: new AbortController(), waitTimer, settle }
    const refusal = queue.add(projectId, active)
    if (refusal !== 'added') {
      clearTimeout(waitTimer)
      throw toBusyError(refusal)
    }
    activeQueries.set(key, active)
    runWaiting()
    return active
  }

  return {
    run: <Answer extends object>(query: NewQuery<Answer>, signal: AbortSignal) =>
      new Promise<{ readonly job: QueryJob; readonly answer: Answer }>((resolve, reject) => {
        const leave = (): void => cancel(active, createCancelledError())
        const active = add(query, false, (outcome) => {
          signal.removeEventListener('abort', leave)
          if ('error' in outcome) reject(outcome.error)
          else resolve({ job: active.job, answer: outcome.answer as Answer })
        })
        if (signal.aborted) leave()
        else signal.addEventListener('abort', leave)
      }),
    start(query) {
      const known = query.id === null ? null : find(query.projectId, query.id)
      const isRepeated = known?.isAsync === true && known.textHash === hash(query.work.text)
      return isRepeated ? known : add(query, true, noop).job
    },
    startOnce(query) {
      const known = findActiveJob(query.projectId, hash(query.work.text))
      return known ?? add({ ...query, id: null }, true, noop).job
    },
    find,
    cancel(projectId, id) {
      const active = activeQueries.get(keyOf(projectId, id))
      if (active !== undefined) cancel(active, createCancelledError())
      return active !== undefined || find(projectId, id) !== null
    },
    close() {
      isClosed = true
      clearTimeout(readyTimer)
      endedQueries.stop()
      for (const active of activeQueries.values())
        cancel(active, new QueryError('store_unavailable', 'The service is stopping.'))
    },
  }
}

const keyOf = (projectId: number, id: string): string => `${projectId} ${id}`

const hash = (sql: string): string => createHash('sha256').update(sql).digest('base64')

const createCancelledError = (): QueryError => new QueryError('cancelled', 'The query was cancelled.')

/** Null for an error that is not the client's. */
const toQueryError = (error: unknown): QueryError | null => {
  if (error instanceof FilterError) return new QueryError('invalid', `${error.message}.`, { cause: error })
  return error instanceof QueryError ? error : null
}

const toInternalError = (cause: unknown): QueryError =>
  new QueryError('store_unavailable', 'The service failed unexpectedly; its log has the cause.', { cause })

const toBusyError = (refusal: 'project_full' | 'service_full'): QueryError =>
  refusal === 'project_full'
    ? new QueryError(
        'project_busy',
        `${MAX_WAITING_PER_PROJECT} queries of this project already wait. Send this one when some have ended.`,
      )
    : new QueryError('service_busy', `${MAX_WAITING} queries of all projects already wait. Send this one again later.`)
