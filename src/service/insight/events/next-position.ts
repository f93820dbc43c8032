/** Where a page of a list of events, the newest first, begins. */
export interface PagePosition {
  /** The events are before this time; undefined for no bound. Milliseconds since 1970. */
  readonly before?: number | undefined
  /** The number of these events that come before the page. */
  readonly offset: number
}

/**
 * Where the next page begins: at the time of the last event, so that later events that arrive meanwhile move nothing. The events of
 * this time that were read are its offset.
 *
 * @param times Of the events of the page; at least one. Milliseconds since 1970.
 */
export const findNextPosition = ({ before, offset }: PagePosition, times: readonly number[]): PagePosition => {
  const last = times.at(-1)!
  const count = times.filter((time) => time === last).length
  // All events of this time are on this page, unless some are among those before the page.
  const isComplete = count < times.length || offset === 0
  return isComplete ? { before: last + 1, offset: count } : { before, offset: offset + times.length }
}
