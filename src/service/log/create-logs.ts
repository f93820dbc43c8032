import { createErrorLogger } from '../error-logger.ts'
import { describeError, formatRecord, toOneLine } from './format-record.ts'
import type { LogLevel } from './format-record.ts'
import { PartialWriteError, STDERR, writeBytes } from './write-bytes.ts'

/** The log of one part of the service. */
export interface Log {
  /** Logs what happened as planned, in a sentence. */
  readonly info: (message: string) => void
  /** Logs a sentence that the operator should read. */
  readonly warn: (message: string) => void
  /** Logs an error, throttled by kind (`createErrorLogger`). */
  readonly error: (error: unknown) => void
}

/** Creates the log of a part, such as `indexer`: its name is the subject of its lines. */
export type CreateLog = (subject: string) => Log

export interface LogsOptions {
  /** Writes to the log; throws if it cannot, with `PartialWriteError` if a part was written. Default: the standard error. */
  readonly write?: (text: string) => void
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number
  /** Milliseconds of a monotonic clock. Default: that of the process. */
  readonly monotonicNow?: () => number
}

/**
 * Creates the logs of a process, which share one output. A line that cannot be written is lost, never the process: the lost ones are counted,
 * and their number is the first line when the output works again.
 */
export const createLogs = ({
  write = (text) => writeBytes(STDERR, text),
  now = () => Date.now(),
  monotonicNow = () => performance.now(),
}: LogsOptions = {}): CreateLog => {
  let lostLines = 0
  let lastFailure = ''
  /** Whether the last line in the output has no end. */
  let isTorn = false

  const tryWrite = (line: string): boolean => {
    try {
      write(`${isTorn ? '\n' : ''}${line}\n`)
      isTorn = false
      return true
    } catch (error) {
      isTorn ||= error instanceof PartialWriteError
      lastFailure = error instanceof Error ? error.message : String(error)
      return false
    }
  }

  const log = (level: LogLevel, subject: string, message: string): void => {
    const time = now()
    const reportLost = (): boolean => {
      const lines = lostLines === 1 ? '1 line' : `${lostLines} lines`
      const report = `${lines} before this one could not be written (${lastFailure}).`
      return tryWrite(formatRecord({ time, level: 'warn', subject: 'log', message: report }))
    }
    if (lostLines > 0 && reportLost()) lostLines = 0
    if (lostLines > 0 || !tryWrite(formatRecord({ time, level, subject, message }))) lostLines += 1
  }

  return (subject) => ({
    info: (message) => log('info', subject, toOneLine(message)),
    warn: (message) => log('warn', subject, toOneLine(message)),
    error: createErrorLogger((error, suppressed) => {
      const count = suppressed === 0 ? '' : ` (${suppressed} more like it since the last one)`
      log('error', subject, `${describeError(error)}${count}`)
    }, monotonicNow),
  })
}
