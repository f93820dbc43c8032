import { createIdleReplacement } from './idle-replacement.ts'
import type { IdleReplacementOptions } from './idle-replacement.ts'
import type { AnswerOf, QuestionName } from '../insight/question/questions.ts'
import type { Indexer } from './indexer.ts'
import type { QueryProgress } from './query-control.ts'
import type { IndexerProcess, ProcessExit } from './indexer-process.ts'
import { startIndexerProcess } from './indexer-process.ts'
import type { FromIndexer, IndexerSettings, ToIndexer } from './protocol.ts'
import { QueryError } from './query-error.ts'
import type { ExitKind } from './quarantine/poison-policy.ts'

/** How the indexer process is started and supervised. */
export interface StartIndexerOptions {
  readonly settings: IndexerSettings
  /** Path of the built `indexer.js`. */
  readonly script: string
  /** Called when more inbox rows are stored. */
  readonly onProgress: (position: number) => void
  /** Called when a project's store has rows, up to `row`, that the inbox never assigned. Default: nothing. */
  readonly onStoreAhead?: (projectId: number, row: number) => void
  readonly logger: IndexerLogger
  /** Milliseconds without a response after which a process is killed. Default: one minute. */
  readonly hangTimeoutMs?: number
  /** When an idle process is replaced to give back its memory. Default: that of `createIdleReplacement`. */
  readonly idleReplacement?: Pick<IdleReplacementOptions, 'maxMemoryMb' | 'delayMs'>
}

/** Receives starts, ends and warnings of the process. */
export interface IndexerLogger {
  info(message: string): void
  warn(message: string): void
}

/** Delay before an ended process is restarted; doubles up to the maximum. Progress or a stable run resets it. */
const RESTART_MS = 100
const MAX_RESTART_MS = 5000
/** A run of this length is stable. */
const STABLE_MS = 10_000

/** Longest orderly stop before the process is killed. */
const STOP_TIMEOUT_MS = 5000

/** Interval of the pings that serve as heartbeat, and the unanswered pings after which the process counts as hung. */
const PING_MS = 1000
const MAX_UNANSWERED_PINGS = 3

/** Time after which a query that has not stopped at its timeout is answered without its process. */
const QUERY_GRACE_MS = 2000

/**
 * Time that such a query may run after that. DuckDB cannot be interrupted while it plans, nor in some steps of a window or a sort, so a query
 * that still runs is ended by killing the process, which ends the queries of all projects.
 */
const STUCK_MS = 8000

/** The same when the process answers no pings: a large request, not the query, may keep it busy. */
const BUSY_GRACE_MS = 30_000

/**
 * A process that answers no ping for this long is killed. That is safe: stored data stays, and the next process indexes the
 * rest. Parsing the largest request takes seconds, and DuckDB works in other threads. On a very slow machine the timeout may
 * hit a busy process, so it doubles after each kill, up to the maximum factor.
 */
const HANG_TIMEOUT_MS = 60_000
const MAX_HANG_FACTOR = 16

interface PendingQuery {
  readonly resolve: (result: AnswerOf<QuestionName>) => void
  readonly reject: (error: QueryError) => void
  readonly onProgress?: ((progress: QueryProgress) => void) | undefined
}

/** Starts the indexer process and restarts it whenever it ends. Rejects when the first start fails. */
export const startIndexer = ({
  settings,
  script,
  onProgress,
  onStoreAhead,
  logger,
  hangTimeoutMs = HANG_TIMEOUT_MS,
  idleReplacement: replacementLimits = {},
}: StartIndexerOptions): Promise<Indexer> => {
  const queries = new Map<number, PendingQuery>()
  let child: IndexerProcess | null = null
  let isReady = false
  /** Whether an idle process is ended for the next one, from the request to end until the next is ready. */
  let isBeingReplaced = false
  let position = 0
  let failure: string | null = null
  let rejected = 0
  let unansweredPings = 0
  let hangFactor = 1
  // The end of the indexer of an earlier front is unknown; it may have been killed.
  let previousExit: ExitKind = 'killed'
  let isEndRequested = false
  let nextQueryId = 1
  let restartMs = RESTART_MS
  let restartTimer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | null = null
  // A busy indexer reads new rows without a wake-up; only an idle one gets the message.
  let isBusy = false
  let isWakeDue = false

  const send = (message: ToIndexer): void => {
    child?.send(message)
  }

  /** Ends the process: asks it to, and kills it if it does not. */
  const requestEnd = async (): Promise<void> => {
    const indexerProcess = child
    if (indexerProcess === null) return
    send({ type: 'stop' })
    const killTimer = setTimeout(indexerProcess.kill, STOP_TIMEOUT_MS)
    await indexerProcess.ended
    clearTimeout(killTimer)
  }

  const wake = (): void => {
    isWakeDue = true
    if (isBusy || !isReady) return
    isBusy = true
    isWakeDue = false
    send({ type: 'wake' })
  }

  const idleReplacement = createIdleReplacement({
    ...replacementLimits,
    now: () => performance.now(),
    replace() {
      if (!isReady || isBusy || queries.size > 0 || stopping !== null) return false
      isBeingReplaced = true
      isEndRequested = true
      // New queries wait for the next process.
      isReady = false
      void requestEnd()
      return true
    },
  })

  const settleQuery = (id: number, settle: (query: PendingQuery) => void): void => {
    const query = queries.get(id)
    queries.delete(id)
    if (query !== undefined) settle(query)
  }

  // A starting process is pinged too: it answers once it has started, or it hangs.
  const pingTimer = setInterval(() => {
    if (child === null) return
    unansweredPings += 1
    send({ type: 'ping' })
    if (unansweredPings * PING_MS < hangTimeoutMs * hangFactor) return
    logger.warn(`The indexer process has not answered for ${unansweredPings * (PING_MS / 1000)} s: it is killed.`)
    hangFactor = Math.min(hangFactor * 2, MAX_HANG_FACTOR)
    unansweredPings = 0
    child.kill()
  }, PING_MS).unref()

  /** Kills the process if it still runs a query that has timed out; the restarted process continues its other work. */
  const killStuckQuery = (id: number, timedOutAt: number): void => {
    const indexerProcess = child
    if (!queries.has(id) || indexerProcess === null) return
    if (unansweredPings > 1 && performance.now() - timedOutAt < BUSY_GRACE_MS) {
      setTimeout(() => killStuckQuery(id, timedOutAt), PING_MS).unref()
      return
    }
    logger.warn('A query did not stop at its timeout: the indexer process is killed.')
    isEndRequested = true
    indexerProcess.kill()
  }

  const startQueryTimeout = (id: number, timeoutMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      settleQuery(id, ({ reject }) => {
        reject(new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`))
      })
      // Stays pending until the process responds, so that `killStuckQuery` sees whether it still runs.
      queries.set(id, { resolve: () => undefined, reject: () => undefined })
      setTimeout(() => killStuckQuery(id, performance.now()), STUCK_MS).unref()
    }, timeoutMs + QUERY_GRACE_MS).unref()

  const handleMessage = (message: FromIndexer): void => {
    unansweredPings = 0
    switch (message.type) {
      case 'pong':
        break
      case 'ready':
        isReady = true
        isBeingReplaced = false
        failure = null
        break
      case 'progress':
        if (message.position <= position) return
        position = message.position
        restartMs = RESTART_MS
        hangFactor = 1
        onProgress(position)
        break
      case 'idle':
        isBusy = false
        if (isWakeDue) wake()
        idleReplacement.onIdle(message.memoryMb)
        break
      case 'store_ahead':
        onStoreAhead?.(message.projectId, message.row)
        break
      case 'rejected':
        rejected += 1
        logger.warn(message.message)
        break
      case 'warning':
        logger.warn(message.message)
        break
      case 'failure':
        failure = message.reason
        if (failure !== null) logger.warn(failure)
        break
      case 'query_progress':
        queries.get(message.id)?.onProgress?.(message.progress)
        break
      case 'query_result':
        settleQuery(message.id, ({ resolve }) => resolve(message.result))
        break
      case 'query_error':
        settleQuery(message.id, ({ reject }) => reject(new QueryError(message.code, message.detail)))
    }
  }

  const launch = (firstStart: { ready: () => void; failed: (error: Error) => void } | null): void => {
    const startedAt = performance.now()
    const indexerProcess = startIndexerProcess(script, {
      onMessage(message) {
        handleMessage(message)
        if (message.type !== 'ready') return
        logger.info(`The indexer runs as process ${indexerProcess.pid}.`)
        firstStart?.ready()
      },
      onExit: (exit) => handleExit(exit),
    })
    child = indexerProcess
    isBusy = true
    unansweredPings = 0
    send({ type: 'start', settings, position, previousExit })

    const handleExit = (exit: ProcessExit): void => {
      const wasReady = isReady
      const isReplaced = isBeingReplaced && isEndRequested
      // A process that could not be started tells nothing about the rows, so the exit before it still counts.
      if (exit.failure === null) previousExit = isEndRequested ? 'requested' : classifyExit(exit, queries.size > 0)
      isEndRequested = false
      child = null
      isReady = false
      const description = describeExit(exit)
      for (const id of queries.keys()) {
        settleQuery(id, ({ reject }) => {
          reject(new QueryError('store_unavailable', `${description} Try the query again.`))
        })
      }
      if (stopping !== null) return
      if (isReplaced) {
        launch(null)
        return
      }
      isBeingReplaced = false
      failure = description
      if (firstStart !== null && !wasReady) {
        clearInterval(pingTimer)
        firstStart.failed(new Error(description))
        return
      }
      if (performance.now() - startedAt > STABLE_MS) restartMs = RESTART_MS
      logger.warn(`${description} It is restarted in ${restartMs} ms.`)
      restartTimer = setTimeout(() => launch(null), restartMs)
      restartMs = Math.min(restartMs * 2, MAX_RESTART_MS)
    }
  }

  const stop = async (): Promise<void> => {
    clearTimeout(restartTimer)
    clearInterval(pingTimer)
    idleReplacement.stop()
    await requestEnd()
  }

  const indexer: Indexer = {
    wake,
    query: ({ projectId, ...question }, control) => indexer.ask(projectId, 'query', question, control),
    ask: (projectId, name, question, { signal, onProgress } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(new QueryError('cancelled', 'The query was cancelled.'))
          return
        }
        if (!isReady || stopping !== null) {
          reject(new QueryError('store_unavailable', 'The indexer is starting. Try the query again.'))
          return
        }
        const id = nextQueryId++
        const timeout = startQueryTimeout(id, question.timeoutMs)
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
    status() {
      const isHung = isReady && unansweredPings >= MAX_UNANSWERED_PINGS
      const hangFailure = isHung
        ? `The indexer process has not answered for ${(unansweredPings * PING_MS) / 1000} s.`
        : null
      return { alive: isReady && !isHung, isBeingReplaced, position, failure: failure ?? hangFailure, rejected }
    },
    stop: () => (stopping ??= stop()),
  }
  return new Promise((resolve, reject) => {
    launch({ ready: () => resolve(indexer), failed: reject })
  })
}

const describeExit = ({ code, signal, failure }: ProcessExit): string =>
  failure === null
    ? `The indexer process ended (${signal ?? `exit code ${code}`}).`
    : `The indexer process could not be started (${failure.message}).`

/** Signals that usually come from outside; other signals are faults of the process itself. */
const EXTERNAL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

/** A crash while queries ran may be theirs, as when memory is short: it blames the rows no more than a kill does. */
const classifyExit = ({ code, signal }: ProcessExit, hadQueries: boolean): ExitKind => {
  if (signal === null && code === 0) return 'requested'
  return hadQueries || (signal !== null && EXTERNAL_SIGNALS.has(signal)) ? 'killed' : 'crashed'
}
