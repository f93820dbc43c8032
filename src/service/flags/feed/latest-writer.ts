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

/** Creates a writer. A slow reader takes the memory of two states: one in the buffer of the socket and one that waits. */
export const createLatestWriter = (out: Writable): LatestWriter => {
  let waitingState: string | undefined
  out.on('drain', () => {
    if (waitingState === undefined) return
    const state = waitingState
    waitingState = undefined
    out.write(state)
  })
  return {
    write: (state) => {
      if (out.writableNeedDrain) waitingState = state
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
