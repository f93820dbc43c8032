import type { Indexer, QueryResult } from './indexer.ts'
import type { IndexerProcess, ProcessExit } from './indexer-process.ts'
import { startProcess } from './indexer-process.ts'
import type { FromIndexer, IndexerSettings, ToIndexer } from './protocol.ts'
import { QueryError } from './query-error.ts'
import type { ProcessEnd } from './quarantine/poison-policy.ts'

/** How the indexer process is started and watched. */
export interface SupervisorOptions {
  readonly settings: IndexerSettings
  /** The built `indexer.js`. */
  readonly script: string
  /** Called when more inbox rows are stored. */
  readonly onProgress: (position: number) => void
  /** Called when a project's store has seen rows, up to this one, that the inbox never gave. Default: nothing. */
  readonly onAhead?: (projectId: number, row: number) => void
  readonly logger: IndexerLogger
  /** Milliseconds without an answer after which a process is ended. Default a minute. */
  readonly hungMs?: number
}

/** Where starts and ends of the process are told. */
export interface IndexerLogger {
  info(message: string): void
  warn(message: string): void
}

/** Wait before a process that ended is started again; doubles up to the most, until one gets on with its work or lasts. */
const RESTART_MS = 100
const MOST_RESTART_MS = 5000
const LASTING_MS = 10_000

/** How long an orderly end may take. */
const STOP_MS = 5000

/** How often the process is asked for a sign of life, and how many times in a row it may owe one before it counts as hung. */
const PING_MS = 1000
const MOST_UNANSWERED = 3

/**
 * What a query may take beyond its limit. DuckDB cannot be interrupted while it plans, so what then still runs is ended
 * with its process.
 */
const QUERY_GRACE_MS = 2000

/** A process that does not answer at all may be busy with a large request and not with the query: it gets this long. */
const BUSY_GRACE_MS = 30_000

/**
 * A process that owes its answers for so long is ended: what it has stored is safe at any moment, and what it has not is
 * stored by the next one. Reading a request of the largest size takes seconds, and DuckDB works in threads of its own. Where
 * a machine is so slow that a process was ended over its work, the next ones get twice as long each, up to the most.
 */
const HUNG_MS = 60_000
const MOST_HUNG_FACTOR = 16

interface Waiting {
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: QueryError) => void
}

/** Starts the indexer process and keeps it running. Rejects when its first start fails. */
export const startIndexer = ({
  settings,
  script,
  onProgress,
  onAhead,
  logger,
  hungMs = HUNG_MS,
}: SupervisorOptions): Promise<Indexer> => {
  const queries = new Map<number, Waiting>()
  let child: IndexerProcess | null = null
  let isReady = false
  let position = 0
  let failure: string | null = null
  let rejected = 0
  let unanswered = 0
  let hungFactor = 1
  // Nobody knows what became of the one that an earlier front had.
  let lastEnd: ProcessEnd = 'killed'
  let isTold = false
  let nextQuery = 1
  let restartMs = RESTART_MS
  let restartTimer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | null = null
  // One wake at most is on its way: until the indexer says that it is idle, it will look by itself.
  let isBusy = false
  let isWakeDue = false

  const tell = (message: ToIndexer): void => {
    child?.tell(message)
  }

  const wake = (): void => {
    isWakeDue = true
    if (isBusy || !isReady) return
    isBusy = true
    isWakeDue = false
    tell({ type: 'wake' })
  }

  const settle = (id: number, how: (waiting: Waiting) => void): void => {
    const waiting = queries.get(id)
    queries.delete(id)
    if (waiting !== undefined) how(waiting)
  }

  // One that is only starting is asked, too: it answers when it has, or hangs.
  const pings = setInterval(() => {
    if (child === null) return
    unanswered += 1
    tell({ type: 'ping' })
    if (unanswered * PING_MS < hungMs * hungFactor) return
    logger.warn(`The indexer process has not answered for ${unanswered * (PING_MS / 1000)} s: it is ended.`)
    hungFactor = Math.min(hungFactor * 2, MOST_HUNG_FACTOR)
    unanswered = 0
    child.kill()
  }, PING_MS).unref()

  /** Ends the process if it still runs a query whose caller has been answered: each start takes its work up again. */
  const endStuck = (id: number, since: number): void => {
    const process_ = child
    if (!queries.has(id) || process_ === null) return
    if (unanswered > 1 && performance.now() - since < BUSY_GRACE_MS) {
      setTimeout(() => endStuck(id, since), PING_MS).unref()
      return
    }
    logger.warn('A query did not stop at its time limit: the indexer process is ended.')
    isTold = true
    process_.kill()
  }

  const startDeadline = (id: number, timeoutMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      settle(id, ({ reject }) => {
        reject(new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`))
      })
      // The answer is still waited for, but by nobody.
      queries.set(id, { resolve: () => undefined, reject: () => undefined })
      endStuck(id, performance.now())
    }, timeoutMs + QUERY_GRACE_MS).unref()

  const hear = (message: FromIndexer): void => {
    unanswered = 0
    switch (message.type) {
      case 'pong':
        break
      case 'ready':
        isReady = true
        failure = null
        break
      case 'progress':
        if (message.position <= position) return
        position = message.position
        restartMs = RESTART_MS
        hungFactor = 1
        onProgress(position)
        break
      case 'idle':
        isBusy = false
        if (isWakeDue) wake()
        break
      case 'ahead':
        onAhead?.(message.projectId, message.row)
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
      case 'answer':
        settle(message.id, ({ resolve }) => resolve(message.result))
        break
      case 'refusal':
        settle(message.id, ({ reject }) => reject(new QueryError(message.code, message.detail)))
    }
  }

  const launch = (onFirst: { ready: () => void; failed: (error: Error) => void } | null): void => {
    const startedAt = performance.now()
    const process_ = startProcess(script, {
      onMessage(message) {
        hear(message)
        if (message.type !== 'ready') return
        logger.info(`The indexer runs as process ${process_.pid}.`)
        onFirst?.ready()
      },
      onExit: (exit) => onExit(exit),
    })
    child = process_
    isBusy = true
    unanswered = 0
    tell({ type: 'start', settings, position, lastEnd })

    const onExit = (exit: ProcessExit): void => {
      const wasReady = isReady
      // One that never ran leaves what the one before it did.
      if (exit.failure === null) lastEnd = isTold ? 'told' : endOf(exit)
      isTold = false
      child = null
      isReady = false
      const ended = exitText(exit)
      for (const id of queries.keys()) {
        settle(id, ({ reject }) => reject(new QueryError('store_unavailable', `${ended} Try the query again.`)))
      }
      if (stopping !== null) return
      failure = ended
      if (onFirst !== null && !wasReady) {
        clearInterval(pings)
        onFirst.failed(new Error(ended))
        return
      }
      if (performance.now() - startedAt > LASTING_MS) restartMs = RESTART_MS
      logger.warn(`${ended} It is started again in ${restartMs} ms.`)
      restartTimer = setTimeout(() => launch(null), restartMs)
      restartMs = Math.min(restartMs * 2, MOST_RESTART_MS)
    }
  }

  const stop = async (): Promise<void> => {
    clearTimeout(restartTimer)
    clearInterval(pings)
    const process_ = child
    if (process_ === null) return
    tell({ type: 'stop' })
    const timer = setTimeout(process_.kill, STOP_MS)
    await process_.ended
    clearTimeout(timer)
  }

  const indexer: Indexer = {
    wake,
    query: (request) =>
      new Promise((resolve, reject) => {
        if (!isReady || stopping !== null) {
          reject(new QueryError('store_unavailable', 'The indexer is being started. Try the query again.'))
          return
        }
        const id = nextQuery++
        const deadline = startDeadline(id, request.timeoutMs)
        queries.set(id, {
          resolve(result) {
            clearTimeout(deadline)
            resolve(result)
          },
          reject(error) {
            clearTimeout(deadline)
            reject(error)
          },
        })
        tell({ type: 'query', id, request })
      }),
    status() {
      const isHung = isReady && unanswered >= MOST_UNANSWERED
      const hung = isHung ? `The indexer process has not answered for ${(unanswered * PING_MS) / 1000} s.` : null
      return { alive: isReady && !isHung, position, failure: failure ?? hung, rejected }
    },
    stop: () => (stopping ??= stop()),
  }
  return new Promise((resolve, reject) => {
    launch({ ready: () => resolve(indexer), failed: reject })
  })
}

const exitText = ({ code, signal, failure }: ProcessExit): string =>
  failure === null
    ? `The indexer process ended (${signal ?? `exit code ${code}`}).`
    : `The indexer process could not be started (${failure.message}).`

/** Signals that come from outside of a process, as a rule; the others are its own faults. */
const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

const endOf = ({ code, signal }: ProcessExit): ProcessEnd => {
  if (signal === null) return code === 0 ? 'told' : 'crashed'
  return FROM_OUTSIDE.has(signal) ? 'killed' : 'crashed'
}
