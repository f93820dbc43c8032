/** From one load to the next unless told otherwise, in milliseconds: the protocol's own pace. */
const POLL_DEFAULT_MS = 30_000

/** The shortest pace, in milliseconds. */
const POLL_MIN_MS = 100

/** How far refusals (401, 403, 429) slow polling down, in milliseconds. */
const REFUSED_MAX_MS = 60_000

/** The pace that an option asks for, in milliseconds; what is no number of them is the shortest. */
export const paceMs = (asked: number | null | undefined): number =>
  asked == null ? POLL_DEFAULT_MS : asked >= POLL_MIN_MS ? asked : POLL_MIN_MS

/**
 * Milliseconds from the end of a load to the next one that nobody asks for: the pace, doubled with each refusal in a row up to a minute, and never
 * less than the service has asked for. A pace that is slower than a minute stays what it is.
 *
 * @param refusals In a row until now.
 * @param askedMs By `Retry-After`; 0 for nothing.
 */
export const pollWaitMs = (pace: number, refusals: number, askedMs: number): number =>
  Math.max(pace, Math.min(pace * 2 ** refusals, REFUSED_MAX_MS), askedMs)
