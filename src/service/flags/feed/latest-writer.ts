import type { Writable } from 'node:stream'
import { CHUNK_BYTES } from '../../http/send-in-chunks.ts'

/** Writes states to a reader that may be slower than the states change. */
export interface LatestWriter {
  /** Writes a state, or keeps it until the reader has the one before. A newer state replaces the waiting one. */
  write(state: Buffer): void
  /** Writes a chunk that may be lost: it is dropped while the reader is behind. */
  writeIfReady(chunk: string): void
  /** Ends the stream at once. A reader that is behind is disconnected, because it could delay the end without limit. */
  end(): void
}

/** Counts the bytes of a state until the returned function is called; null when there is no memory for them. */
export type HoldState = (state: Buffer) => (() => void) | null

/**
 * Creates a writer. Readers of the same state share its bytes: each gets one chunk at a time, when it has taken the one before. A slow
 * reader keeps the state that it is reading, and the newest one. It is disconnected when there is no memory for a state.
 */
export const createLatestWriter = (out: Writable, hold: HoldState): LatestWriter => {
  let release: (() => void) | undefined
  /** Whether chunks of the state have not been written yet. */
  let isPartial = false
  let waitingState: Buffer | undefined

  const writeChunk = (state: Buffer, offset: number): void => {
    const end = offset + CHUNK_BYTES
    isPartial = end < state.length
    // After an error the stream closes, which releases the state.
    out.write(state.subarray(offset, end), (error) => {
      if (error) return
      if (isPartial) writeChunk(state, end)
      else finish()
    })
  }
  const begin = (state: Buffer): void => {
    const held = hold(state)
    if (held === null) return void out.destroy()
    release = held
    writeChunk(state, 0)
  }
  const finish = (): void => {
    release?.()
    release = undefined
    const next = waitingState
    waitingState = undefined
    if (next !== undefined) begin(next)
  }
  out.on('close', () => {
    waitingState = undefined
    release?.()
  })
  return {
    write: (state) => {
      if (release === undefined) begin(state)
      else waitingState = state
    },
    writeIfReady: (chunk) => {
      if (release === undefined && !out.writableNeedDrain) out.write(chunk)
    },
    end: () => {
      if (isPartial || waitingState !== undefined || out.writableNeedDrain) out.destroy()
      else out.end()
    },
  }
}
