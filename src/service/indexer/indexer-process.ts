import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import type { FromIndexer, ToIndexer } from './protocol.ts'

/** A process that runs the indexer, or that was to and could not be started. */
export interface IndexerProcess {
  readonly pid: number | undefined
  /** What a process is told that has ended, or never began, is lost. */
  tell(message: ToIndexer): void
  /** Ends it at once. */
  kill(): void
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
}

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Why there never was one: the system had no process, descriptor or memory for it. Null for one that ran. */
  readonly failure: Error | null
}

/** What its starter hears of a process. */
export interface ProcessListener {
  onMessage(message: FromIndexer): void
  /** Called once, and never before the start has returned. */
  onExit(exit: ProcessExit): void
}

/** Threads for the work that leaves the event loop: each running query holds one, and the writer needs its own. */
const POOL_THREADS = '16'

/** Starts the indexer's process. A failure to do so is an end like any other: it never throws. */
export const startProcess = (script: string, { onMessage, onExit }: ProcessListener): IndexerProcess => {
  let resolveEnded = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  let hasEnded = false
  const end = (exit: ProcessExit): void => {
    if (hasEnded) return
    hasEnded = true
    onExit(exit)
    resolveEnded()
  }
  const cannotStart = (failure: Error): void => end({ code: null, signal: null, failure })

  let child: ChildProcess
  try {
    child = fork(script, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: POOL_THREADS },
    })
  } catch (error) {
    // Some failures are thrown, as that of memory, and others are told below.
    setImmediate(cannotStart, error instanceof Error ? error : new Error(String(error)))
    return { pid: undefined, tell: () => undefined, kill: () => undefined, ended }
  }
  child.on('message', onMessage)
  child.on('error', (error) => {
    // A process that never began has no exit. Other errors are those of messages to one that has ended.
    if (child.pid === undefined) cannotStart(error)
  })
  child.on('exit', (code, signal) => end({ code, signal, failure: null }))
  return {
    pid: child.pid,
    tell(message) {
      // Without a descriptor left there is no channel, and no `send` either.
      if (child.pid !== undefined && child.connected) child.send(message, () => undefined)
    },
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}
