import type { Writable } from 'node:stream'

/** Writes states to a reader that may be slower than the states change. */
export interface LatestWriter {
  /** Writes a state, or keeps it until the reader has caught up. A newer state replaces the waiting one. */
  write(state: string): void
  /** Writes a chunk that may be lost: it is dropped while the reader is behind. */
  writeIfReady(chunk: string): void
  /** Ends the stream at once. A reader that is behind is disconnected, because it could delay the end without limit. */
  end(): void
}

/** Memory per slow reader is bounded: one state in the socket's buffer and one that waits. */
export const createLatestWriter = (out: Writable): LatestWriter => {
  let waiting: string | undefined
  out.on('drain', () => {
    if (waiting === undefined) return
    const state = waiting
    waiting = undefined
    out.write(state)
  })
  return {
    write: (state) => {
      if (out.writableNeedDrain) waiting = state
      else out.write(state)
    },
    writeIfReady: (chunk) => {
      if (!out.writableNeedDrain) out.write(chunk)
    },
    end: () => {
      if (out.writableNeedDrain) out.destroy()
      else out.end()
    },
  }
}
