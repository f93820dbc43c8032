import { FLAGS, readMark } from '../marks.mjs'
import { sleep } from '../visit.mjs'

/** Longest wait for the first flags, in milliseconds. */
const WAIT_MS = 3000

/** Marks the first flags; what the page runs after the script. */
export const MARK_FLAGS = `(globalThis.agent ?? globalThis.waymark).onFeatureFlags(() => performance.mark('${FLAGS}'))`

/** From the first statement of the script to the first call of a listener of flags, on a first visit. */
export const measureFirstFlags = async ({ page, open }) => {
  await open()
  await sleep(WAIT_MS)
  return { firstFlagsMs: await readMark(page, FLAGS) }
}
