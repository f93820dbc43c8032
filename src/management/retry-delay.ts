import type { ManagementError } from './management-error.ts'

/** Delay before the first retry; it doubles each time. */
const BASE_DELAY_MS = 500

/** The longest wait for a `Retry-After`. The service counts requests by the minute, so that its limits have passed by then. */
const MAX_DELAY_MS = 60_000

/**
 * Milliseconds to wait before the next attempt of a request, or null when another attempt is of no use: the request is wrong, or the
 * service asks for a longer wait than a minute.
 *
 * @param failures Attempts that have failed, 1 or more.
 * @param random in [0, 1); half of the back-off is random, so that clients do not retry at the same time.
 */
export const retryDelayMs = (error: ManagementError, failures: number, random: number): number | null => {
  if (!isTemporary(error) || error.retryAfterMs > MAX_DELAY_MS) return null
  const backOffMs = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (failures - 1))
  return Math.max(error.retryAfterMs, backOffMs / 2 + (backOffMs / 2) * random)
}

const isTemporary = ({ type, code, status }: ManagementError): boolean => {
  if (status === null) return true
  // A query that took too long takes as long again.
  if (type === 'server_error' && code === 'timeout') return false
  return status === 429 || status >= 500
}
