/** Pings a process and has it killed when it no longer answers. */
export interface HangWatchdog {
  /** Notes that a process was started. */
  onStart(): void
  /** Notes a message of the process: each is an answer. */
  onMessage(): void
  /** Notes that the process has done work, which shows that the machine is fast enough for the timeout. */
  onProgress(): void
  /** Whether at least two pings in a row are unanswered: a large request may keep the process busy. */
  isBusy(): boolean
  /** Whether so many pings are unanswered that the process counts as hung. */
  isHung(): boolean
  /** Seconds without an answer. */
  silenceSeconds(): number
  stop(): void
}

export interface HangWatchdogOptions {
  /** Sends a ping; false without a process. */
  readonly ping: () => boolean
  /** Kills the process, which has not answered for this many seconds. */
  readonly kill: (seconds: number) => void
  /** Milliseconds without an answer after which a process is killed. Default: one minute. */
  readonly timeoutMs?: number | undefined
}

/** Interval of the pings that serve as heartbeat, and the unanswered pings after which the process counts as hung. */
export const PING_MS = 1000
const MAX_UNANSWERED_PINGS = 3

/**
 * A process that answers no ping for this long is killed. That is safe: stored data stays, and the next process indexes the
 * rest. Parsing the largest request takes seconds, and DuckDB works in other threads. On a very slow machine the timeout may
 * hit a busy process, so it doubles after each kill, up to the maximum factor.
 */
const TIMEOUT_MS = 60_000
const MAX_TIMEOUT_FACTOR = 16

export const createHangWatchdog = ({ ping, kill, timeoutMs = TIMEOUT_MS }: HangWatchdogOptions): HangWatchdog => {
  let unansweredPings = 0
  let timeoutFactor = 1
  const silenceSeconds = (): number => (unansweredPings * PING_MS) / 1000
  // A starting process is pinged too: it answers once it has started, or it hangs.
  const timer = setInterval(() => {
    if (!ping()) return
    unansweredPings += 1
    if (unansweredPings * PING_MS < timeoutMs * timeoutFactor) return
    const seconds = silenceSeconds()
    timeoutFactor = Math.min(timeoutFactor * 2, MAX_TIMEOUT_FACTOR)
    unansweredPings = 0
    kill(seconds)
  }, PING_MS).unref()
  const reset = (): void => {
    unansweredPings = 0
  }
  return {
    onStart: reset,
    onMessage: reset,
    onProgress() {
      timeoutFactor = 1
    },
    isBusy: () => unansweredPings > 1,
    isHung: () => unansweredPings >= MAX_UNANSWERED_PINGS,
    silenceSeconds,
    stop: () => clearInterval(timer),
  }
}
