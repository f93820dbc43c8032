import type { ImportProgress } from './import-options.ts'
import type { Input } from './input.ts'

/** Measures the speed of this run, without what earlier runs of the same import did. */
export interface Throughput {
  /** Returns the milliseconds since the start of the run. */
  durationMs(): number
  /** @param eventCount Events that were acknowledged in this run. */
  eventsPerSecond(eventCount: number): number
  /** Returns how far reading is. `secondsLeft` is null until the rate is known, and for a stream, whose size is unknown. */
  progress(): Pick<ImportProgress, 'bytesRead' | 'bytesTotal' | 'secondsLeft'>
}

/** @param now Milliseconds of a monotonic clock. */
export const createThroughput = ({ bytesRead, sizeBytes }: Input, now: () => number): Throughput => {
  const startMs = now()
  /** Bytes read before the first report. A resumed run starts at an offset, and those bytes must not count towards its rate. */
  let initialBytesRead: number | null = null
  const durationMs = (): number => now() - startMs
  return {
    durationMs,
    eventsPerSecond: (eventCount) => (eventCount * 1000) / Math.max(1, durationMs()),
    progress() {
      const currentBytesRead = bytesRead()
      initialBytesRead ??= currentBytesRead
      const bytesPerMs = (currentBytesRead - initialBytesRead) / durationMs()
      const hasEstimate = sizeBytes !== null && bytesPerMs > 0
      const secondsLeft = hasEstimate ? (sizeBytes - currentBytesRead) / bytesPerMs / 1000 : null
      return { bytesRead: currentBytesRead, bytesTotal: sizeBytes, secondsLeft }
    },
  }
}
