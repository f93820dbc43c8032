// oxlint-disable no-console -- the only place where the agent writes to the console
import type { Logger } from '../../port/logger.ts'
import { callHook, isRunning } from '../../lib/call-hook.ts'
import { noop } from '../../lib/noop.ts'
import { tryOr } from '../../lib/try-or.ts'

const PREFIX = '[waymark]'

/** Puts an entry into words, as arguments of a console method. Undefined when it is not worth a line. Never throws. */
export type Describe = (timeMs: number, topic: string, ...details: readonly unknown[]) => readonly unknown[] | undefined

/** Loads the chunk with the sentences, which most pages never need. */
export type LoadDescriber = () => Promise<{ readonly createDescriber: () => Describe }>

/** The log of one agent. */
export interface ConsoleLogger extends Logger {
  /** Warns of a mistake in the use of the agent. The words come from the chunk. */
  advise(topic: string, ...details: readonly unknown[]): void
  setDebug(isDebug: boolean): void
}

/**
 * A page may have a console of its own, without this method. It may also capture each of its lines, which debug mode would tell, in a line. So
 * nothing is told of what it does.
 */
const writeLine = (method: 'log' | 'warn', message: readonly unknown[]): void =>
  callHook(writeLine, () => tryOr(() => globalThis.console[method](PREFIX, ...message)))

/**
 * Writes to the console: warnings always, other messages only in debug mode. They are written by `console.log`, because browsers hide
 * `console.debug` by default.
 *
 * Entries of debug mode, and mistakes, wait until the chunk with the sentences has come. If it does not come, they are written as they are.
 */
export const createLogger = (loadDescriber: LoadDescriber): ConsoleLogger => {
  let isDebug = false
  let describer: Promise<Describe | void> | undefined

  const write = (method: 'log' | 'warn', entry: readonly [topic: string, ...details: readonly unknown[]]): void => {
    if (isRunning(writeLine)) return
    const timeMs = globalThis.Date.now()
    describer ??= loadDescriber().then(({ createDescriber }) => createDescriber(), noop)
    void describer.then((describe) => {
      const message = describe ? describe(timeMs, ...entry) : entry
      if (message) writeLine(method, message)
    })
  }

  return {
    debug(...entry) {
      if (isDebug) write('log', entry)
    },
    warn: (...message) => writeLine('warn', message),
    advise: (...entry) => write('warn', entry),
    setDebug(value) {
      isDebug = value
    },
  }
}
