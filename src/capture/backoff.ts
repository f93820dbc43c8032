/** The longest wait between two tries of our own choice. */
export const BACKOFF_MAX_MS: number = 5 * 60_000

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 or more): doubling from `baseMs`, half of it random so that the
 * clients of one outage do not return together, at least 100, at most `BACKOFF_MAX_MS`.
 *
 * @param random in [0, 1)
 */
export const backoffMs = (failures: number, baseMs: number, random: number): number => {
  const full = Math.min(BACKOFF_MAX_MS, baseMs * 2 ** Math.min(failures - 1, 20))
  return Math.max(100, full / 2 + (full / 2) * random)
}

/**
 * How long until a stored deadline: 0 when it has passed, and also when it lies further ahead than any deadline can, which means
 * that the clock was set back since it was written.
 */
export const remainingMs = (deadline: number, now: number, longestMs: number): number => {
  const remaining = deadline - now
  return remaining > 0 && remaining <= longestMs ? remaining : 0
}
