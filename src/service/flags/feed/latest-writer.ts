import type { Writable } from 'node:stream'

/** Writes states to a reader that may be slower than they change. */
export interface NewestWriter {
  /** Writes a state, or keeps it until the reader has taken what it was given; a newer one then replaces it. */
  write(state: string): void
  /** Writes something that nobody misses: not at all while the reader is behind. */
  mention(text: string): void
  /** Ends at once. A reader that is behind is cut off, for it could hold up the end for as long as it likes. */
  end(): void
}

/** A reader that is behind costs one state in the socket's buffer and one that waits. */
export const newestWriter = (out: Writable): NewestWriter => {
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
    mention: (text) => {
      if (!out.writableNeedDrain) out.write(text)
    },
    end: () => {
      if (out.writableNeedDrain) out.destroy()
      else out.end()
    },
  }
}
