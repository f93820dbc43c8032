/** Default time between two loads: the same as in other SDKs of the protocol. */
const DEFAULT_POLL_INTERVAL_MS = 30_000

/** Minimum time between two loads. */
const MIN_POLL_INTERVAL_MS = 100

/** Maximum time between two loads after refusals (401, 403, 404 of the service, 429), unless the interval itself is longer. */
const MAX_REFUSED_BACKOFF_MS = 60_000

/** Applies the default and the minimum to the option. NaN gives the minimum. */
export const resolvePollIntervalMs = (option: number | null | undefined): number =>
  option == null ? DEFAULT_POLL_INTERVAL_MS : option >= MIN_POLL_INTERVAL_MS ? option : MIN_POLL_INTERVAL_MS

/**
 * Milliseconds until the next automatic load. Consecutive refusals double the interval up to a minute; an interval above a minute stays
 * unchanged. `Retry-After` is always respected.
 *
 * @param refusals Consecutive refusals so far.
 * @param retryAfterMs The service's `Retry-After`; 0 if it sent none.
 */
export const nextPollDelayMs = (intervalMs: number, refusals: number, retryAfterMs: number): number =>
  Math.max(intervalMs, Math.min(intervalMs * 2 ** refusals, MAX_REFUSED_BACKOFF_MS), retryAfterMs)
