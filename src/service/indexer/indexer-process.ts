import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import type { FromIndexer, ToIndexer } from './protocol.ts'

/** A process that runs the indexer, or one that could not be started. */
export interface IndexerProcess {
  readonly pid: number | undefined
  /** Sends a message; it is dropped if the process has ended or was never started. */
  send(message: ToIndexer): void
  /** Kills the process at once (SIGKILL). */
  kill(): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
}

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it could not be started (no process, file descriptor or memory left); null for a process that ran. */
  readonly failure: Error | null
}

/** Callbacks for the messages and the end of a process. */
export interface ProcessListener {
  onMessage(message: FromIndexer): void
  /** Called once, always after `startIndexerProcess` has returned. */
  onExit(exit: ProcessExit): void
}

/** Size of the libuv thread pool: each running query blocks one thread, and the writer needs one too. */
const POOL_THREADS = '16'

/**
 * Size of V8's halves for new objects, in megabytes. What lives longer than a chunk of events is little, so a smaller one than Node's 16 is
 * copied as seldom and fits the processor's cache: 65 MB less memory at the peak of a backlog, and not more CPU.
 */
const SEMI_SPACE_MB = 4

/**
 * How much the indexer yields to the front, in steps of "nice": queries and commits take all processors for as long as they
 * last, while an acknowledgement or a flag needs one for a fraction of a millisecond. With 10, a backlog was indexed more slowly.
 */
const NICENESS = 5

/** The lowest priority that there is. */
const MAX_NICENESS = 19

/** A thread has the priority of the one that starts it, so this comes as early as possible. Threads that Node starts first may keep theirs. */
const lowerPriority = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority() + NICENESS, MAX_NICENESS))
  } catch {
    // The process has ended, or the system does not allow it.
  }
}

/** Starts the indexer process. Never throws: a failed start is reported through `onExit`. */
export const startIndexerProcess = (script: string, { onMessage, onExit }: ProcessListener): IndexerProcess => {
  let resolveEnded = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  let hasEnded = false
  const handleExit = (exit: ProcessExit): void => {
    if (hasEnded) return
    hasEnded = true
    onExit(exit)
    resolveEnded()
  }
  const handleStartFailure = (failure: Error): void => handleExit({ code: null, signal: null, failure })

  let child: ChildProcess
  try {
    child = fork(script, [], {
      execArgv: [`--max-semi-space-size=${SEMI_SPACE_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: POOL_THREADS },
    })
  } catch (error) {
    // `fork` throws some failures, such as a lack of memory; it emits the others as 'error' events.
    setImmediate(handleStartFailure, error instanceof Error ? error : new Error(String(error)))
    return { pid: undefined, send: () => undefined, kill: () => undefined, ended }
  }
  lowerPriority(child)
  child.on('message', onMessage)
  child.on('error', (error) => {
    // A process without a pid was never started and emits no 'exit'. Other errors concern messages to an ended process.
    if (child.pid === undefined) handleStartFailure(error)
  })
  child.on('exit', (code, signal) => handleExit({ code, signal, failure: null }))
  return {
    pid: child.pid,
    send(message) {
      // Without a free file descriptor there is no channel, and `child.send` does not exist.
      if (child.pid !== undefined && child.connected) child.send(message, () => undefined)
    },
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}
