/** Milliseconds of work at a time: a browser calls 50 a long task, and the machine may be several times slower than this one. */
const SLICE_MS = 6

/**
 * Runs a generator to its end in slices, each in an idle moment, so that the page keeps answering.
 *
 * @param {Iterator<void>} steps Each step should take well under a millisecond.
 */
export const inSlices = (steps) => {
  const slice = () => {
    const end = performance.now() + SLICE_MS
    while (performance.now() < end) if (steps.next().done) return
    whenIdle(slice)
  }
  whenIdle(slice)
}

/** Safari has no `requestIdleCallback`. */
const whenIdle = (work) => {
  if (globalThis.requestIdleCallback) requestIdleCallback(work, { timeout: 500 })
  else setTimeout(() => work(), 1)
}
