/** Reads remembered as reported; above it the oldest is forgotten, and would be reported again. */
const MAX_CALLED = 1_000

/** Remembers which (flag, value) reads were reported for this identity. */
export interface CalledTracker {
  /** False when this read was marked before. */
  _mark(read: string): boolean
  _unmark(read: string): void
  _clear(): void
  /** Oldest first. */
  _list(): string[]
}

/** @param marked The stored list; anything else counts as none. */
export const createCalledTracker = (marked: unknown): CalledTracker => {
  const reads = new Set<string>(Array.isArray(marked) ? marked : [])
  return {
    _mark: (read) => {
      if (reads.has(read)) return false
      reads.add(read)
      if (reads.size > MAX_CALLED) reads.delete(reads.values().next().value!)
      return true
    },
    _unmark: (read) => reads.delete(read),
    _clear: () => reads.clear(),
    _list: () => [...reads],
  }
}
