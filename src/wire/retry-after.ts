/** Maximum wait for a `Retry-After`. A longer one is replaced by this. */
export const MAX_RETRY_AFTER_MS: number = 30 * 60_000

/** Parses `Retry-After` (RFC 9110 10.2.3: seconds, or an HTTP date) to milliseconds from `now`; 0 when missing, past or invalid. */
export const parseRetryAfterMs = (header: string | null, now: number): number => {
  if (!header) return 0
  const ms = /^\s*\d+\s*$/.test(header) ? +header * 1000 : Date.parse(header) - now
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0
}
