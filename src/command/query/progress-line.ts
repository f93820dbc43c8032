import { SingleBar } from 'cli-progress'
import type { QueryStatus } from '../../management/schema.ts'
import { formatQueryProgress } from './format-query-progress.ts'

/** Shows how far a query is. */
export interface ProgressLine {
  readonly show: (status: QueryStatus) => void
  /** Removes the line. Can be called more than once. */
  readonly end: () => void
}

/** A line for a fast query would only flicker. */
const FIRST_LINE_MS = 500

/** Creates one line on a terminal that is redrawn; elsewhere it shows nothing. */
export const createProgressLine = (stream: NodeJS.WriteStream): ProgressLine => {
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined }
  const startedAt = performance.now()
  let bar: SingleBar | null = null
  const startBar = (): SingleBar => {
    const newBar = new SingleBar({
      format: '{text}',
      stream,
      fps: 5,
      // The command handles signals itself.
      gracefulExit: false,
      hideCursor: true,
      clearOnComplete: true,
      linewrap: false,
    })
    newBar.start(1, 0, { text: '' })
    return newBar
  }
  return {
    show(status) {
      const elapsedMs = performance.now() - startedAt
      if (elapsedMs < FIRST_LINE_MS) return
      bar ??= startBar()
      bar.update(0, { text: formatQueryProgress(status, elapsedMs) })
    },
    end() {
      bar?.stop()
      bar = null
    },
  }
}
