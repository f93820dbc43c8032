import { setImmediate } from 'node:timers/promises'
import { noop } from './noop.ts'

/** Long work that yields now and then, so that it can be done in chunks. */
export type Work<Result = void> = Generator<void, Result, void>

/** Rows that work reads between two yields: less than a millisecond for all that is done with a row. */
export const ROWS_PER_YIELD = 4096

/** Longest time for which work blocks the event loop, in milliseconds; one step between two yields may exceed it. */
const CHUNK_MS = 8

/**
 * Does work in chunks, between which it yields to the event loop.
 *
 * @param check Called between two chunks. It throws to end the work. Default: nothing.
 */
export const workInChunks = async <Result>(
  work: Generator<unknown, Result, void>,
  check: () => void = noop,
): Promise<Result> => {
  let deadline = performance.now() + CHUNK_MS
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() < deadline) continue
    check()
    await setImmediate()
    deadline = performance.now() + CHUNK_MS
  }
}
