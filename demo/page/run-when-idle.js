/** Milliseconds of work per chunk. Far below the 50 ms of a long task, because a visitor's machine may be slow. */
const CHUNK_MS = 6

/**
 * Runs a generator in chunks while the browser is idle, so that the page stays responsive.
 *
 * @param {Iterator<void>} steps Each step should take less than a millisecond.
 */
export const runWhenIdle = (steps) => {
  const runChunk = () => {
    const end = performance.now() + CHUNK_MS
    while (performance.now() < end) if (steps.next().done) return
    whenIdle(runChunk)
  }
  whenIdle(runChunk)
}

/** Safari has no `requestIdleCallback`. */
const whenIdle = (work) => {
  if (globalThis.requestIdleCallback) requestIdleCallback(work, { timeout: 500 })
  else setTimeout(() => work(), 1)
}
