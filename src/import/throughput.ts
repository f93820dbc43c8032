import type { ImportProgress } from './import-options.ts'
import type { Input } from './input.ts'

/** Measures how fast this run is. */
export interface Throughput {
  durationMs(): number
  /** @param events Events that were acknowledged in this run. */
  eventsPerSecond(events: number): number
  progress(): Pick<ImportProgress, 'bytesRead' | 'bytesTotal' | 'secondsLeft'>
}

/** @param now Milliseconds of a monotonic clock. */
export const createThroughput = ({ bytesRead, sizeBytes }: Input, now: () => number): Throughput => {
  const startedAt = now()
  let firstBytesRead: number | null = null
  const durationMs = (): number => now() - startedAt
  return {
    durationMs,
    eventsPerSecond: (events) => (events * 1000) / Math.max(1, durationMs()),
    progress() {
      const read = bytesRead()
      // Bytes that an earlier run has read took this run no time.
      firstBytesRead ??= read
      const bytesPerMs = (read - firstBytesRead) / durationMs()
      const secondsLeft = sizeBytes === null || !(bytesPerMs > 0) ? null : (sizeBytes - read) / bytesPerMs / 1000
      return { bytesRead: read, bytesTotal: sizeBytes, secondsLeft }
    },
  }
}
