import { SingleBar } from 'cli-progress'
import type { ImportProgress } from '../import-options.ts'
import { progressText, waitText } from './progress-text.ts'

/** Shows how far an import is. */
export interface ProgressDisplay {
  readonly show: (progress: ImportProgress) => void
  /** Nothing is shown from now on. */
  readonly end: () => void
}

/** A bar on a terminal, a line now and then in a log. */
export const showProgress = (stream: NodeJS.WriteStream): ProgressDisplay =>
  stream.isTTY
    ? progressBar(stream)
    : progressLines(
        (line) => stream.write(line),
        () => performance.now(),
      )

/** One line that is drawn anew. Without a bar where nobody knows how much is to come. */
const progressBar = (stream: NodeJS.WriteStream): ProgressDisplay => {
  let bar: SingleBar | null = null
  const begin = ({ bytesTotal, bytesRead }: ImportProgress): SingleBar => {
    const format = bytesTotal === null ? '{text}' : '{bar} {text}'
    // The signals are the command's business.
    const begun = new SingleBar({
      format,
      stream,
      barsize: 20,
      fps: 5,
      gracefulExit: false,
      hideCursor: true,
      clearOnComplete: false,
      linewrap: false,
      barCompleteChar: '█',
      barIncompleteChar: '░',
    })
    begun.start(bytesTotal ?? 0, bytesRead, { text: '' })
    return begun
  }
  return {
    show(progress) {
      bar ??= begin(progress)
      bar.update(progress.bytesRead, { text: progress.wait ? waitText(progress.wait) : progressText(progress) })
    },
    end: () => bar?.stop(),
  }
}

const LINE_EVERY_MS = 10_000

/**
 * A line every ten seconds, and one for each wait.
 *
 * @param now Milliseconds, of a clock that never goes back.
 */
export const progressLines = (write: (line: string) => void, now: () => number): ProgressDisplay => {
  let writtenAt = now()
  return {
    show(progress) {
      if (progress.wait !== null) write(`${waitText(progress.wait)}\n`)
      else if (now() - writtenAt >= LINE_EVERY_MS) {
        writtenAt = now()
        write(`${progressText(progress)}\n`)
      }
    },
    end: () => undefined,
  }
}
