import { writeSync } from 'node:fs'

/** The standard output and the standard error. */
export const STDOUT = 1
export const STDERR = 2

/** How often, and after how many milliseconds, a write is retried while the reader of a pipe is slow. Node usually waits in the write itself. */
const MAX_RETRIES = 10
const RETRY_MS = 2

/** A write that failed after some bytes; `cause` is the error of the system. */
export class PartialWriteError extends Error {
  override readonly name: string = 'PartialWriteError'
}

/**
 * Writes a whole string to a file descriptor, at once. Unlike a stream of Node it throws at the caller when the disk is full or the reader of a
 * pipe is gone, and never emits an error that ends the process.
 */
export const writeBytes = (descriptor: number, text: string, write: typeof writeSync = writeSync): void => {
  const bytes = Buffer.from(text)
  let written = 0
  for (let retries = 0; written < bytes.length;) {
    try {
      written += write(descriptor, bytes, written, bytes.length - written)
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      if (isBusy && retries < MAX_RETRIES) {
        retries += 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      } else if (written > 0) {
        throw new PartialWriteError(error instanceof Error ? error.message : String(error), { cause: error })
      } else throw error
    }
  }
}
