import { checkHistory } from '../check-history.ts'
import { ImportError } from '../import-error.ts'
import { importHistory } from '../import-history.ts'
import type { ImportCommand } from './arguments.ts'
import { onInterrupt } from './on-interrupt.ts'
import { showProgress } from './show-progress.ts'
import { checkText, goOnText, summaryText } from './summary-text.ts'

const DONE = 0
const FAILED = 1
/** What shells say of a command that Ctrl-C has ended. */
const STOPPED = 130

/** Runs `waymark import`; answers the exit code. */
export const runImport = async ({ path, target, ...options }: ImportCommand): Promise<number> => {
  const { stdin, stdout, stderr } = process
  const { rejects, journal } = options
  const display = showProgress(stderr)
  const interrupt = onInterrupt(() => {
    display.end()
    stderr.write('Ending after the batch that is on its way. Press Ctrl-C again to end at once.\n')
  })
  const input = { ...options, source: path ?? stdin, signal: interrupt.signal, onProgress: display.show }
  try {
    if (target === null) {
      const summary = await checkHistory(input)
      display.end()
      stdout.write(checkText(summary, rejects))
      return summary.isComplete ? DONE : STOPPED
    }
    const summary = await importHistory({ ...input, ...target })
    display.end()
    stdout.write(summaryText(summary, rejects, journal))
    return summary.isComplete ? DONE : STOPPED
  } catch (error) {
    display.end()
    if (!(error instanceof ImportError)) throw error
    stderr.write(`waymark import: ${error.message}\n`)
    if (error.code === 'gave_up' || error.code === 'quota_limited') stderr.write(`${goOnText(journal)}\n`)
    return FAILED
  } finally {
    interrupt.end()
    // Nobody reads it any more, and it would hold the process.
    if (path === null) stdin.destroy()
  }
}
