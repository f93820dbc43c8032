/**
 * Replaces an idle indexer process that has grown. V8 and DuckDB keep the memory that a backlog needed; only the end of the process
 * gives it back. The next process is ready within a second or two, and events and queries wait meanwhile.
 */
export interface IdleReplacement {
  /** Notes that the process has become idle, and the memory that it has, in megabytes. */
  onIdle(memoryMb: number): void
  /** Notes that a query begins: more may follow, which would wait for the next process, and find nothing in its memory. */
  onQuery(): void
  stop(): void
}

export interface IdleReplacementOptions {
  /** Starts the replacement of a process that had this memory, in megabytes; false if it has work again. */
  readonly replace: (memoryMb: number) => boolean
  /** Whether a query runs. */
  readonly hasQueries: () => boolean
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  /** Memory above which a process is replaced, in megabytes. Default: 256; a new process with an open store has about 150. */
  readonly maxMemoryMb?: number
  /** Milliseconds between the end of the work, or the begin of the last query, and the replacement, because more may follow. Default: 10 seconds. */
  readonly delayMs?: number
}

const MAX_MEMORY_MB = 256
const DELAY_MS = 10_000

/** Shortest time between two replacements: a process whose ordinary work needs much memory is left alone. */
const MIN_INTERVAL_MS = 10 * 60_000

export const createIdleReplacement = ({
  replace,
  hasQueries,
  now,
  maxMemoryMb = MAX_MEMORY_MB,
  delayMs = DELAY_MS,
}: IdleReplacementOptions): IdleReplacement => {
  let timer: NodeJS.Timeout | undefined
  let replacedAt = -Infinity
  let queriedAt = -Infinity
  const replaceUnlessQueried = (memoryMb: number): void => {
    const waitMs = hasQueries() ? delayMs : queriedAt + delayMs - now()
    timer = waitMs > 0 ? setTimeout(replaceUnlessQueried, waitMs, memoryMb).unref() : undefined
    if (timer === undefined && replace(memoryMb)) replacedAt = now()
  }
  return {
    onIdle(memoryMb) {
      if (timer !== undefined || memoryMb <= maxMemoryMb || now() - replacedAt < MIN_INTERVAL_MS) return
      timer = setTimeout(replaceUnlessQueried, delayMs, memoryMb).unref()
    },
    onQuery() {
      queriedAt = now()
    },
    stop: () => clearTimeout(timer),
  }
}
