import { checkHistory } from '../../import/check-history.ts'
import { ImportError } from '../../import/import-error.ts'
import { importHistory } from '../../import/import-history.ts'
import type { ImportCommand } from './parse-arguments.ts'
import { FAILURE, INTERRUPTED, SUCCESS } from '../exit-code.ts'
import { handleInterrupts } from '../handle-interrupts.ts'
import { createProgressDisplay } from './progress-display.ts'
import { formatCheckSummary, formatResumeHint, formatSummary } from './format-summary.ts'

/** Runs `waymark import` and returns its exit code. */
export const runImport = async ({ path, target, ...options }: ImportCommand): Promise<number> => {
  const { stdin, stdout, stderr } = process
  const { rejects, journal } = options
  const display = createProgressDisplay(stderr)
  const interrupts = handleInterrupts(() => {
    display.end()
    stderr.write('Stopping after the current batch. Press Ctrl-C again to stop at once.\n')
  })
  const input = { ...options, source: path ?? stdin, signal: interrupts.signal, onProgress: display.show }
  try {
    if (target === null) {
      const summary = await checkHistory(input)
      display.end()
      stdout.write(formatCheckSummary(summary, rejects))
      return summary.isComplete ? SUCCESS : INTERRUPTED
    }
    const summary = await importHistory({ ...input, ...target })
    display.end()
    stdout.write(formatSummary(summary, rejects, journal))
    return summary.isComplete ? SUCCESS : INTERRUPTED
  } catch (error) {
    display.end()
    if (!(error instanceof ImportError)) throw error
    stderr.write(`waymark import: ${error.message}\n`)
    if (error.code === 'gave_up' || error.code === 'quota_limited') stderr.write(`${formatResumeHint(journal)}\n`)
    return FAILURE
  } finally {
    interrupts.removeHandlers()
    // An open standard input would keep the process alive.
    if (path === null) stdin.destroy()
  }
}
