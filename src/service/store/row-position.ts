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
export function after(inboxRow: number): RowPosition {
  return { inboxRow, events: ALL_EVENTS }
}

/** The position at which an event is the next one. */
export function before({ inboxRow, ordinal }: EventPlace): RowPosition {
  return { inboxRow, events: ordinal }
}

/** Whether an event is done. */
export function covers(position: RowPosition, { inboxRow, ordinal }: EventPlace): boolean {
  return inboxRow < position.inboxRow || (inboxRow === position.inboxRow && ordinal < position.events)
}

/** Whether a row is done whole. */
export function coversRow(position: RowPosition, inboxRow: number): boolean {
  return covers(position, { inboxRow, ordinal: Number.MAX_SAFE_INTEGER })
}

/** Whether a position is further on than another. */
export function isBeyond(position: RowPosition, other: RowPosition): boolean {
  if (position.inboxRow !== other.inboxRow) return position.inboxRow > other.inboxRow
  return position.events > other.events
}

/** A position as numbers that any database holds: `null` events for a row that is done whole, as in files from before there were others. */
export interface StoredPosition {
  readonly inbox_row: number
  readonly events: number | null
}

/** Reads a stored position; where nothing is stored, nothing is done. */
export function positionOf(stored: StoredPosition | undefined): RowPosition {
  return stored === undefined ? after(0) : { inboxRow: stored.inbox_row, events: stored.events ?? ALL_EVENTS }
}

/** Opposite of `positionOf`. */
export function storedPosition({ inboxRow, events }: RowPosition): StoredPosition {
  return { inbox_row: inboxRow, events: events === ALL_EVENTS ? null : events }
}
