/** The longest back-off between two attempts. A `Retry-After` of the service may ask for more. */
export const MAX_BACKOFF_MS: number = 5 * 60_000

/**
 * Milliseconds to wait after the `failures`-th failure in a row (1 or more). The wait doubles from `baseMs`, is at least 100 and at most
 * `MAX_BACKOFF_MS`. Half of the wait is random, so that clients do not retry at the same time after an outage.
 *
 * @param random in [0, 1)
 */
export const backoffMs = (failures: number, baseMs: number, random: number): number => {
  const fullMs = Math.min(MAX_BACKOFF_MS, baseMs * 2 ** Math.min(failures - 1, 20))
  return Math.max(100, fullMs / 2 + (fullMs / 2) * random)
}

/**
 * Milliseconds until a stored deadline; 0 when it has passed. A deadline more than `maxMs` ahead also gives 0: the clock was set back after
 * it was stored.
 */
export const remainingMs = (deadline: number, now: number, maxMs: number): number => {
  const remaining = deadline - now
  return remaining > 0 && remaining <= maxMs ? remaining : 0
}
