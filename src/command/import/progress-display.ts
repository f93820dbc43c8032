import { SingleBar } from 'cli-progress'
import type { ImportProgress } from '../../import/import-options.ts'
import { formatProgress, formatWait } from './format-progress.ts'

/** Shows how far an import is. */
export interface ProgressDisplay {
  readonly show: (progress: ImportProgress) => void
  /** Shows nothing from now on. */
  readonly end: () => void
}

/** Creates a progress bar on a terminal; elsewhere writes a line from time to time, as a log. */
export const createProgressDisplay = (stream: NodeJS.WriteStream): ProgressDisplay =>
  stream.isTTY
    ? createProgressBar(stream)
    : createProgressLog(
        (line) => stream.write(line),
        () => performance.now(),
      )

/** Creates one line that is redrawn. For an input of unknown size the line has no bar. */
const createProgressBar = (stream: NodeJS.WriteStream): ProgressDisplay => {
  let bar: SingleBar | null = null
  const startBar = ({ bytesTotal, bytesRead }: ImportProgress): SingleBar => {
    const format = bytesTotal === null ? '{text}' : '{bar} {text}'
    const newBar = new SingleBar({
      format,
      stream,
      barsize: 20,
      fps: 5,
      // The command handles signals itself.
      gracefulExit: false,
      hideCursor: true,
      clearOnComplete: false,
      linewrap: false,
      barCompleteChar: '█',
      barIncompleteChar: '░',
    })
    newBar.start(bytesTotal ?? 0, bytesRead, { text: '' })
    return newBar
  }
  return {
    show(progress) {
      bar ??= startBar(progress)
      bar.update(progress.bytesRead, { text: progress.wait ? formatWait(progress.wait) : formatProgress(progress) })
    },
    end: () => bar?.stop(),
  }
}

/** Time between two lines of the log. */
const LINE_INTERVAL_MS = 10_000

/**
 * Writes a line every ten seconds, and one for each wait.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export const createProgressLog = (write: (line: string) => void, now: () => number): ProgressDisplay => {
  let lastLineMs = now()
  return {
    show(progress) {
      if (progress.wait !== null) write(`${formatWait(progress.wait)}\n`)
      else if (now() - lastLineMs >= LINE_INTERVAL_MS) {
        lastLineMs = now()
        write(`${formatProgress(progress)}\n`)
      }
    },
    end: () => undefined,
  }
}
