/** Watches the memory of the process while one query runs. */
export interface MemoryGuard {
  /** Whether the process has, or had, more memory than the query may make it have. Ends the process if it has far more. */
  isExceeded(): boolean
}

export interface MemoryGuardOptions {
  /** Megabytes that DuckDB limits the store to. */
  readonly memoryMb: number
  /** The resident memory of the process, in bytes. */
  readonly readMemory: () => number
  /** Ends the process: some functions of DuckDB do not notice an interrupt, and grow until the machine has no memory left. */
  readonly endProcess: () => void
}

/** Bytes by which the process may always grow (512 MiB): the stores of other projects, or freed memory, may take more than that. */
const MIN_GROWTH_BYTES = 512 * 1024 ** 2

/**
 * Most memory beside what DuckDB limits that a query may have (1 GiB). Some aggregates, and all values that are computed, are not part of
 * DuckDB's limit.
 */
const MAX_SPARE_BYTES = 1024 ** 3

/** Bytes that a query may take after it was interrupted (1 GiB): one step of an aggregate can double its memory. */
const MAX_OVERSHOOT_BYTES = 1024 ** 3

/** Creates the guard of a query that begins. */
export const createMemoryGuard = ({ memoryMb, readMemory, endProcess }: MemoryGuardOptions): MemoryGuard => {
  const limitBytes = memoryMb * 1024 ** 2
  const spareBytes = Math.min(2 * limitBytes, MAX_SPARE_BYTES)
  const maxBytes = Math.max(limitBytes + spareBytes, readMemory() + MIN_GROWTH_BYTES)
  let wasExceeded = false
  return {
    isExceeded() {
      const bytes = readMemory()
      wasExceeded ||= bytes > maxBytes
      if (bytes > maxBytes + MAX_OVERSHOOT_BYTES) endProcess()
      return wasExceeded
    },
  }
}
