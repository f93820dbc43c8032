import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import type { Indexer, QueryResult } from './indexer.ts'
import type { FromIndexer, IndexerSettings, ToIndexer } from './protocol.ts'
import { QueryError } from './query-error.ts'

/** How the indexer process is started and watched. */
export interface SupervisorOptions {
  readonly settings: IndexerSettings
  /** The built `indexer.js`. */
  readonly script: string
  /** Called when more inbox rows are stored. */
  readonly onProgress: (position: number) => void
  readonly logger: IndexerLogger
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
const STOP_MS = 10_000

/** Threads for the work that leaves the event loop: each running query holds one, and the writer needs its own. */
const POOL_THREADS = '16'

interface Waiting {
  readonly resolve: (result: QueryResult) => void
  readonly reject: (error: QueryError) => void
}

/** Starts the indexer process and keeps it running. Rejects when its first start fails. */
export function startIndexer({ settings, script, onProgress, logger }: SupervisorOptions): Promise<Indexer> {
  const queries = new Map<number, Waiting>()
  let child: ChildProcess | null = null
  let isReady = false
  let position = 0
  let failure: string | null = null
  let rejected = 0
  let nextQuery = 1
  let restartMs = RESTART_MS
  let restartTimer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | null = null
  // One wake at most is on its way: until the indexer says that it is idle, it will look by itself.
  let isBusy = false
  let isWakeDue = false

  const tell = (message: ToIndexer): void => {
    child?.send(message, () => undefined)
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

  const hear = (message: FromIndexer): void => {
    switch (message.type) {
      case 'ready':
        isReady = true
        failure = null
        break
      case 'progress':
        if (message.position <= position) return
        position = message.position
        restartMs = RESTART_MS
        onProgress(position)
        break
      case 'idle':
        isBusy = false
        if (isWakeDue) wake()
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
    const startedAt = Date.now()
    const process_ = fork(script, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: POOL_THREADS },
    })
    child = process_
    isBusy = true
    tell({ type: 'start', settings, position })
    process_.on('message', (message: FromIndexer) => {
      hear(message)
      if (message.type !== 'ready') return
      logger.info(`The indexer runs as process ${process_.pid}.`)
      onFirst?.ready()
    })
    process_.on('error', () => undefined)
    process_.on('exit', (code, signal) => {
      const wasReady = isReady
      child = null
      isReady = false
      const ended = `The indexer process ended (${signal ?? `exit code ${code}`}).`
      for (const id of queries.keys()) {
        settle(id, ({ reject }) => reject(new QueryError('store_unavailable', `${ended} Try the query again.`)))
      }
      if (stopping !== null) return
      failure = ended
      if (onFirst !== null && !wasReady) {
        onFirst.failed(new Error(ended))
        return
      }
      if (Date.now() - startedAt > LASTING_MS) restartMs = RESTART_MS
      logger.warn(`${ended} It is started again in ${restartMs} ms.`)
      restartTimer = setTimeout(() => launch(null), restartMs)
      restartMs = Math.min(restartMs * 2, MOST_RESTART_MS)
    })
  }

  const stop = async (): Promise<void> => {
    clearTimeout(restartTimer)
    const process_ = child
    if (process_ === null) return
    const ended = new Promise<void>((resolve) => {
      process_.once('exit', () => resolve())
    })
    tell({ type: 'stop' })
    const timer = setTimeout(() => process_.kill('SIGKILL'), STOP_MS)
    await ended
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
        queries.set(id, { resolve, reject })
        tell({ type: 'query', id, request })
      }),
    status: () => ({ alive: isReady, position, failure, rejected }),
    stop: () => (stopping ??= stop()),
  }
  return new Promise((resolve, reject) => {
    launch({ ready: () => resolve(indexer), failed: reject })
  })
}
