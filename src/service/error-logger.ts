/** Writes one error to the log; `suppressed` is how many like it were left out since the last one. */
type WriteError = (error: unknown, suppressed: number) => void

/** Errors of one kind are logged once in this time: a full disk fails every request, and the log may be on that disk. */
const THROTTLE_MS = 10_000

/** Bounds the memory; beyond, all kinds are forgotten. */
const MAX_KINDS = 100

/**
 * Creates a throttled error log. It writes the first error of a kind at once. Of those that follow within ten seconds it
 * writes only their number, with the next one. Errors are of one kind when name and message are the same.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export const createErrorLogger = (write: WriteError, now: () => number): ((error: unknown) => void) => {
  const kinds = new Map<string, { readonly writtenAt: number; suppressed: number }>()
  return (error) => {
    const kind = error instanceof Error ? `${error.name} ${error.message}` : String(error)
    const last = kinds.get(kind)
    if (last !== undefined && now() - last.writtenAt < THROTTLE_MS) {
      last.suppressed += 1
      return
    }
    if (kinds.size >= MAX_KINDS) kinds.clear()
    kinds.set(kind, { writtenAt: now(), suppressed: 0 })
    write(error, last?.suppressed ?? 0)
  }
}
