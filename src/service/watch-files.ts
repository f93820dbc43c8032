import type { Log } from './log/create-logs.ts'

/** Interval of the checks; requests make their own before they are acknowledged. */
const CHECK_MS = 1000

/**
 * Logs when files of the data folder are deleted or replaced, also while no request comes, and when they are back. Returns a function that ends
 * it.
 *
 * @param check Throws while a file is not the one that is open.
 */
export const watchFiles = (check: () => void, { error: logError, info }: Pick<Log, 'error' | 'info'>): (() => void) => {
  let isWhole = true
  const timer = setInterval(() => {
    try {
      check()
      if (!isWhole) info('The files of the data folder are back, and events are taken again.')
      isWhole = true
    } catch (error) {
      if (isWhole) logError(`${error instanceof Error ? error.message : String(error)}. ${ADVICE}`)
      isWhole = false
    }
  }, CHECK_MS).unref()
  return () => clearInterval(timer)
}

const ADVICE =
  'Events are refused with 503. Move the same files back, or stop the service, put a backup of the data folder in its place, and start again.'
