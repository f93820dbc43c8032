import type { IndexerProcess, ProcessExit, ProcessListener } from './indexer-process.ts'
import type { FromIndexer, ToIndexer } from './protocol.ts'
import type { ExitKind } from './quarantine/poison-policy.ts'

/** Keeps one indexer process running: starts it, and starts the next one whenever it ends. */
export interface IndexerLifecycle {
  /** Starts the first process. Resolves when it is ready; rejects if it ends before. Later ends are never errors. */
  start(): Promise<void>
  /** Sends a message to the process; false without one, which drops the message. */
  send(message: ToIndexer): boolean
  /** Whether the process has started, and was not asked to end. */
  isReady(): boolean
  /** Whether `stop` was called. */
  isStopping(): boolean
  /** Whether an idle process is ended for the next one, from the request to end until the next is ready. */
  isBeingReplaced(): boolean
  /** Kills the process. `requested`: its end says nothing about the rows that it was indexing. */
  kill(kind: 'hung' | 'requested'): void
  /** Ends the process, which is idle, and starts the next one at once. `reason`: for the log, without a full stop. */
  replace(reason: string): void
  /** Notes that the process has done work: when it ends, the next one is started without a longer delay. */
  onProgress(): void
  /** Ends the process for good. */
  stop(): Promise<void>
}

export interface IndexerLifecycleOptions {
  readonly startProcess: (listener: ProcessListener) => IndexerProcess
  /** Called with each started process. */
  readonly onStart: (previousExit: ExitKind) => void
  readonly onMessage: (message: FromIndexer) => void
  /** Called when a process has ended, before the next one is started. */
  readonly onEnd: (description: string) => void
  /** Called after `onEnd` when nobody has asked for that end. */
  readonly onFailure: (description: string) => void
  readonly hasQueries: () => boolean
  readonly logger: IndexerLogger
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

export const createIndexerLifecycle = ({
  startProcess,
  onStart,
  onMessage,
  onEnd,
  onFailure,
  hasQueries,
  logger,
}: IndexerLifecycleOptions): IndexerLifecycle => {
  let child: IndexerProcess | null = null
  let isReady = false
  let isBeingReplaced = false
  let replacementReason: string | null = null
  let isEndRequested = false
  // The end of the indexer of an earlier front is unknown; it may have been killed.
  let previousExit: ExitKind = 'killed'
  let restartMs = RESTART_MS
  let restartTimer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | null = null

  const send = (message: ToIndexer): boolean => {
    child?.send(message)
    return child !== null
  }

  /** Ends the process: asks it to, and kills it if it does not. */
  const requestEnd = async (): Promise<void> => {
    const current = child
    if (current === null) return
    send({ type: 'stop' })
    const killTimer = setTimeout(current.kill, STOP_TIMEOUT_MS)
    await current.ended
    clearTimeout(killTimer)
  }

  const launch = (firstStart: FirstStart | null): void => {
    const startedAt = performance.now()
    const current = startProcess({
      onMessage(message) {
        if (message.type === 'ready') {
          isReady = true
          isBeingReplaced = false
        }
        onMessage(message)
        if (message.type !== 'ready') return
        // Of the first one the URL of the service says enough.
        if (firstStart === null)
          logger.info(
            replacementReason === null
              ? `The indexer runs again, as process ${current.pid}.`
              : `${replacementReason}: process ${current.pid} replaces it, as planned.`,
          )
        replacementReason = null
        firstStart?.ready()
      },
      onExit(exit) {
        const wasReady = isReady
        const isReplaced = isBeingReplaced && isEndRequested
        // A process that could not be started tells nothing about the rows, so the exit before it still counts.
        if (exit.failure === null) previousExit = isEndRequested ? 'requested' : classifyExit(exit, hasQueries())
        child = null
        isReady = false
        isEndRequested = false
        const description = describeExit(exit)
        onEnd(description)
        if (stopping !== null) return
        if (isReplaced) {
          launch(null)
          return
        }
        isBeingReplaced = false
        replacementReason = null
        onFailure(description)
        if (firstStart !== null && !wasReady) firstStart.failed(new Error(description))
        else restart(description, performance.now() - startedAt > STABLE_MS)
      },
    })
    child = current
    onStart(previousExit)
  }

  const restart = (description: string, wasStable: boolean): void => {
    if (wasStable) restartMs = RESTART_MS
    logger.warn(`${description} It is restarted in ${restartMs} ms.`)
    restartTimer = setTimeout(() => launch(null), restartMs)
    restartMs = Math.min(restartMs * 2, MAX_RESTART_MS)
  }

  return {
    start: () => new Promise((resolve, reject) => launch({ ready: resolve, failed: reject })),
    send,
    isReady: () => isReady,
    isStopping: () => stopping !== null,
    isBeingReplaced: () => isBeingReplaced,
    kill(kind) {
      if (child === null) return
      if (kind === 'requested') isEndRequested = true
      child.kill()
    },
    replace(reason) {
      replacementReason = reason
      isBeingReplaced = true
      isEndRequested = true
      // New queries wait for the next process.
      isReady = false
      void requestEnd()
    },
    onProgress() {
      restartMs = RESTART_MS
    },
    stop() {
      clearTimeout(restartTimer)
      return (stopping ??= requestEnd())
    },
  }
}

interface FirstStart {
  readonly ready: () => void
  readonly failed: (error: Error) => void
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
