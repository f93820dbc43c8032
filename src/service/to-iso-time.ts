/** A time in ISO 8601, in UTC, as answers have it. @param time Milliseconds since 1970. */
export const toIsoTime = (time: number): string => new Date(time).toISOString()

/** The same for a time that may be missing. */
export const toIsoTimeOrNull = (time: number | null | undefined): string | null =>
  time === null || time === undefined ? null : toIsoTime(time)
