/** The longest wait that a `Retry-After` is granted; a larger one is cut to this. */
export const RETRY_AFTER_MAX_MS: number = 30 * 60_000

/** `Retry-After` (RFC 9110 10.2.3: seconds, or an HTTP date) as milliseconds from `now`; 0 when absent, past or unreadable. */
export const retryAfterMs = (header: string | null, now: number): number => {
  if (!header) return 0
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : 0
}
