import { createHangWatchdog } from './hang-watchdog.ts'
import { createIdleReplacement } from './idle-replacement.ts'
import type { IdleReplacementOptions } from './idle-replacement.ts'
import { createIndexerLifecycle } from './indexer-lifecycle.ts'
import type { IndexerLogger } from './indexer-lifecycle.ts'
import { startIndexerProcess } from './indexer-process.ts'
import type { Indexer } from './indexer.ts'
import type { CompleteCopies } from './move/move-options.ts'
import type { FromIndexer, IndexerSettings } from './protocol.ts'
import { createQueryRegistry } from './query-registry.ts'

/** How the indexer process is started and supervised. */
export interface StartIndexerOptions {
  readonly settings: IndexerSettings
  /** Path of the built `indexer.js`. */
  readonly script: string
  /** Called when more inbox rows are stored. */
  readonly onProgress: (position: number) => void
  /** Called when a project's store has rows, up to `row`, that the inbox never assigned. Default: nothing. */
  readonly onStoreAhead?: (projectId: number, row: number) => void
  /** Called when the events are copied (`IndexerSettings.moveFrom`), to finish the move. Default: nothing. */
  readonly onMoved?: (copies: CompleteCopies) => void
  /** Called with the id of each process that is ready. Default: nothing. */
  readonly onReady?: (pid: number) => void
  readonly logger: IndexerLogger
  /** Milliseconds without a response after which a process is killed. Default: one minute. */
  readonly hangTimeoutMs?: number
  /** When an idle process is replaced to give back its memory. Default: that of `createIdleReplacement`. */
  readonly idleReplacement?: Pick<IdleReplacementOptions, 'maxMemoryMb' | 'delayMs'>
}

/** Starts the indexer process and restarts it whenever it ends. Rejects when the first start fails. */
export const startIndexer = async ({
  settings: firstSettings,
  script,
  onProgress,
  onStoreAhead,
  onMoved,
  onReady,
  logger,
  hangTimeoutMs,
  idleReplacement: replacementLimits,
}: StartIndexerOptions): Promise<Indexer> => {
  let settings = firstSettings
  let position = 0
  let failure: string | null = null
  let moving: string | null = null
  let notice: string | null = null
  let rejected = 0
  // A busy indexer reads new rows without a wake-up; only an idle one gets the message.
  let isBusy = false
  let isWakeDue = false
  let cpuMs = 0

  const lifecycle = createIndexerLifecycle({
    startProcess: (listener) => startIndexerProcess(script, listener),
    onStart(previousExit) {
      isBusy = true
      cpuMs = 0
      watchdog.onStart()
      lifecycle.send({ type: 'start', settings, position, previousExit })
    },
    onMessage(message) {
      watchdog.onMessage()
      handleMessage(message)
    },
    onEnd: (description) => queries.rejectAll(description),
    onFailure(description) {
      failure = description
    },
    hasQueries: () => queries.count() > 0,
    logger,
  })

  const watchdog = createHangWatchdog({
    ping: () => lifecycle.send({ type: 'ping' }),
    kill(seconds) {
      logger.warn(`The indexer process has not answered for ${seconds} s: it is killed.`)
      lifecycle.kill('hung')
    },
    timeoutMs: hangTimeoutMs,
  })

  const queries = createQueryRegistry({
    send: (message) => void lifecycle.send(message),
    isAvailable: () => lifecycle.isReady() && !lifecycle.isStopping(),
    isBusy: watchdog.isBusy,
    cpuMs: () => cpuMs,
    kill() {
      logger.warn('A query did not stop at its timeout: the indexer process is killed.')
      lifecycle.kill('requested')
    },
  })

  const idleReplacement = createIdleReplacement({
    ...replacementLimits,
    now: () => performance.now(),
    hasQueries: () => queries.count() > 0,
    replace(memoryMb) {
      if (!lifecycle.isReady() || lifecycle.isStopping() || isBusy) return false
      lifecycle.replace(`The indexer was idle and had ${memoryMb} MB`)
      return true
    },
  })

  const wake = (): void => {
    isWakeDue = true
    if (isBusy || !lifecycle.isReady()) return
    isBusy = true
    isWakeDue = false
    lifecycle.send({ type: 'wake' })
  }

  const finishMove = (copies: CompleteCopies): void => {
    try {
      onMoved?.(copies)
    } catch (error) {
      failure = `The move of the events cannot be finished: ${String(error)}. It is tried again.`
      logger.warn(failure)
      lifecycle.kill('requested')
      return
    }
    moving = null
    settings = { ...settings, moveFrom: undefined }
    // A process before this one that moved events, too, processed no rows: how it ended says nothing of them.
    lifecycle.send({ type: 'start', settings, position, previousExit: 'requested' })
  }

  const handleMessage = (message: FromIndexer): void => {
    switch (message.type) {
      case 'pong':
        cpuMs = message.cpuMs
        break
      case 'ready':
        failure = null
        onReady?.(message.pid)
        break
      case 'progress':
        if (message.position <= position) return
        position = message.position
        lifecycle.onProgress()
        watchdog.onProgress()
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
      case 'notice':
        // The first one is as good as all: the log has them.
        notice ??= message.message
        logger.warn(message.message)
        break
      case 'moving':
        moving = message.notice
        break
      case 'moved':
        finishMove(message.copies)
        break
      case 'failure':
        failure = message.reason
        if (failure !== null) logger.warn(failure)
        break
      default:
        queries.onMessage(message)
    }
  }

  const ask: typeof queries.ask = (...question) => {
    idleReplacement.onQuery()
    return queries.ask(...question)
  }

  const indexer: Indexer = {
    wake,
    query: ({ projectId, ...question }, control) => ask(projectId, 'query', question, control),
    ask,
    status() {
      const isHung = lifecycle.isReady() && watchdog.isHung()
      const hangFailure = isHung ? `The indexer process has not answered for ${watchdog.silenceSeconds()} s.` : null
      return {
        alive: lifecycle.isReady() && !isHung,
        isBeingReplaced: lifecycle.isBeingReplaced(),
        position,
        failure: failure ?? hangFailure,
        moving,
        notice,
        rejected,
      }
    },
    stop() {
      watchdog.stop()
      idleReplacement.stop()
      return lifecycle.stop()
    },
  }
  try {
    await lifecycle.start()
    return indexer
  } catch (error) {
    watchdog.stop()
    throw error
  }
}
