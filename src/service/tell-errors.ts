/** Where lines are written. */
type Write = (error: unknown, more: number) => void

/** Errors of one kind are told once in this time: a disk that is full fails every request, and the log may lie on it. */
const QUIET_MS = 10_000

/** Kinds that are remembered at most. */
const MOST_KINDS = 100

/**
 * Makes the function that tells errors of the service. The first of a kind is written at once; of those that follow within
 * ten seconds only their number, with the next one that is.
 *
 * @param now Milliseconds of a clock that does not jump.
 */
export const createTellErrors = (write: Write, now: () => number): ((error: unknown) => void) => {
  const kinds = new Map<string, { readonly at: number; more: number }>()
  return (error) => {
    const kind = error instanceof Error ? `${error.name} ${error.message}` : String(error)
    const told = kinds.get(kind)
    if (told !== undefined && now() - told.at < QUIET_MS) {
      told.more += 1
      return
    }
    if (kinds.size >= MOST_KINDS) kinds.clear()
    kinds.set(kind, { at: now(), more: 0 })
    write(error, told?.more ?? 0)
  }
}
