import { STREAM_IDLE_TIMEOUT_MS } from './stream-end.ts'

/** A stream that ends before this time changes nothing: the outage goes on. */
const MIN_LIVE_MS = 5_000

/** Maximum consecutive streams shorter than `STREAM_IDLE_TIMEOUT_MS` that end an outage. More of them mean that something cuts streams. */
const MAX_SHORT_STREAMS = 3

/** Time spent without a working stream. Times in which no stream is wanted, or supported, are not added. */
export interface Outage {
  /** Milliseconds so far, at least 0. */
  downMs(): number
  /** Adds time without a stream. A negative one, after a change of the clock, counts as 0. */
  add(ms: number): void
  /**
   * A live stream has ended. The outage starts from 0 after 45 s of life. It also does after 5 s, as between two restarts of the service,
   * but only three times in a row: a proxy that cuts each stream must not cause a reconnect every few seconds for ever.
   */
  streamEnded(liveMs: number): void
  clear(): void
}

export const createOutage = (): Outage => {
  let downMs = 0
  let shortStreams = 0
  return {
    downMs: () => downMs,
    add(ms) {
      downMs += Math.max(ms, 0)
    },
    streamEnded(liveMs) {
      if (liveMs < MIN_LIVE_MS) return
      shortStreams = liveMs < STREAM_IDLE_TIMEOUT_MS ? shortStreams + 1 : 0
      if (shortStreams <= MAX_SHORT_STREAMS) downMs = 0
    },
    clear() {
      downMs = 0
    },
  }
}
