/** Writes one error to the log; `suppressed` is the number of equal errors since the last one in the log. */
type WriteError = (error: unknown, suppressed: number) => void

/** Errors of one kind are logged once in this time: on a full disk every request fails, and the log may be on that disk. */
const THROTTLE_MS = 10_000

/** Limits the memory: when the log has seen this many kinds of errors, it forgets all of them. */
const MAX_KINDS = 100

/**
 * Creates a throttled error log. It writes the first error of a kind at once. Of those that follow within ten seconds it
 * writes only their number, with the next one. Errors are of one kind when name and message are the same.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export const createErrorLogger = (write: WriteError, now: () => number): ((error: unknown) => void) => {
  const kinds = new Map<string, { readonly writtenMs: number; suppressed: number }>()
  return (error) => {
    const kind = error instanceof Error ? `${error.name} ${error.message}` : String(error)
    const lastEntry = kinds.get(kind)
    if (lastEntry !== undefined && now() - lastEntry.writtenMs < THROTTLE_MS) {
      lastEntry.suppressed += 1
      return
    }
    if (kinds.size >= MAX_KINDS) kinds.clear()
    kinds.set(kind, { writtenMs: now(), suppressed: 0 })
    write(error, lastEntry?.suppressed ?? 0)
  }
}
