import type { ImportProgress } from './import-options.ts'
import type { Input } from './input.ts'

/** How fast this run is: rate and time left. */
export interface Pace {
  durationMs(): number
  /** @param events Events of this run. */
  perSecond(events: number): number
  progress(): Pick<ImportProgress, 'bytesRead' | 'bytesTotal' | 'secondsLeft'>
}

/** @param now Milliseconds, of a clock that never goes back. */
export const createPace = ({ bytesRead, sizeBytes }: Input, now: () => number): Pace => {
  const begunAt = now()
  let first: number | null = null
  const durationMs = (): number => now() - begunAt
  return {
    durationMs,
    perSecond: (events) => (events * 1000) / Math.max(1, durationMs()),
    progress() {
      const read = bytesRead()
      // What an earlier run has read took this one no time.
      first ??= read
      const perMs = (read - first) / durationMs()
      const secondsLeft = sizeBytes === null || !(perMs > 0) ? null : (sizeBytes - read) / perMs / 1000
      return { bytesRead: read, bytesTotal: sizeBytes, secondsLeft }
    },
  }
}
