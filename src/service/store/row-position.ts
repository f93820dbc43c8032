/**
 * How far the inbox rows of a project are processed. A large request is processed in several commits, so a position may be
 * inside a row.
 */
export interface RowPosition {
  /** All rows before this one are complete. */
  readonly inboxRow: number
  /** Number of events of `inboxRow` that are processed, in processing order; `ALL_EVENTS` when the row is complete. */
  readonly events: number
}

/** `RowPosition.events` of a complete row, independent of its number of events. */
const ALL_EVENTS: number = Number.POSITIVE_INFINITY

/** The place of one event in the order in which its project's events are processed. */
export interface EventPosition {
  readonly inboxRow: number
  /** Number of events of the same row that are processed before this one. */
  readonly ordinal: number
}

/** The position at which a row, and every row before it, is complete. */
export const positionAfterRow = (inboxRow: number): RowPosition => ({ inboxRow, events: ALL_EVENTS })

/** The position at which an event is the next to process. */
export const positionBeforeEvent = ({ inboxRow, ordinal }: EventPosition): RowPosition => ({
  inboxRow,
  events: ordinal,
})

/** Whether an event is processed at a position. */
export const coversEvent = (position: RowPosition, { inboxRow, ordinal }: EventPosition): boolean =>
  inboxRow < position.inboxRow || (inboxRow === position.inboxRow && ordinal < position.events)

/** Whether a row is complete at a position. */
export const coversRow = (position: RowPosition, inboxRow: number): boolean =>
  coversEvent(position, { inboxRow, ordinal: Number.MAX_SAFE_INTEGER })

/** The last row that is complete at a position. */
export const lastCoveredRow = (position: RowPosition): number =>
  coversRow(position, position.inboxRow) ? position.inboxRow : position.inboxRow - 1

/** Whether `position` is further than `otherPosition`. */
export const isBeyond = (position: RowPosition, otherPosition: RowPosition): boolean => {
  if (position.inboxRow !== otherPosition.inboxRow) return position.inboxRow > otherPosition.inboxRow
  return position.events > otherPosition.events
}

/** A position as database columns. `events` is null for a complete row; files of older versions only have complete rows. */
export interface StoredPosition {
  readonly inbox_row: number
  readonly events: number | null
}

/** Converts stored columns into a position; undefined (nothing stored) is the position before the first row. */
export const fromStoredPosition = (stored: StoredPosition | undefined): RowPosition =>
  stored === undefined ? positionAfterRow(0) : { inboxRow: stored.inbox_row, events: stored.events ?? ALL_EVENTS }

/** Converts a position into columns; the inverse of `fromStoredPosition`. */
export const toStoredPosition = ({ inboxRow, events }: RowPosition): StoredPosition => ({
  inbox_row: inboxRow,
  events: events === ALL_EVENTS ? null : events,
})
