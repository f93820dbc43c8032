/**
 * How far the inbox rows of a project are done. One huge request is worked off in several steps, so a position may stand
 * inside a row.
 */
export interface RowPosition {
  /** Earlier rows are done whole. */
  readonly inboxRow: number
  /** How many events of this row are done, in the order in which they are processed; `ALL_EVENTS` when the row is done whole. */
  readonly events: number
}

/** What a position says of a row that is done whole, however many events it has. */
const ALL_EVENTS: number = Number.POSITIVE_INFINITY

/** Where one event stands among all of a project. */
export interface EventPlace {
  readonly inboxRow: number
  /** Events of the row that are processed before it. */
  readonly ordinal: number
}

/** The position of a row that is done whole. */
export const after = (inboxRow: number): RowPosition => ({ inboxRow, events: ALL_EVENTS })

/** The position at which an event is the next one. */
export const before = ({ inboxRow, ordinal }: EventPlace): RowPosition => ({ inboxRow, events: ordinal })

/** Whether an event is done. */
export const covers = (position: RowPosition, { inboxRow, ordinal }: EventPlace): boolean =>
  inboxRow < position.inboxRow || (inboxRow === position.inboxRow && ordinal < position.events)

/** Whether a row is done whole. */
export const coversRow = (position: RowPosition, inboxRow: number): boolean =>
  covers(position, { inboxRow, ordinal: Number.MAX_SAFE_INTEGER })

/** Whether a position is further on than another. */
export const isBeyond = (position: RowPosition, other: RowPosition): boolean => {
  if (position.inboxRow !== other.inboxRow) return position.inboxRow > other.inboxRow
  return position.events > other.events
}

/** A position as numbers that any database holds: `null` events for a row that is done whole, as in files from before there were others. */
export interface StoredPosition {
  readonly inbox_row: number
  readonly events: number | null
}

/** Reads a stored position; where nothing is stored, nothing is done. */
export const positionOf = (stored: StoredPosition | undefined): RowPosition =>
  stored === undefined ? after(0) : { inboxRow: stored.inbox_row, events: stored.events ?? ALL_EVENTS }

/** Opposite of `positionOf`. */
export const storedPosition = ({ inboxRow, events }: RowPosition): StoredPosition => ({
  inbox_row: inboxRow,
  events: events === ALL_EVENTS ? null : events,
})
