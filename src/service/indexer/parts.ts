import type { RejectedRow } from '../store/events/event-store.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import type { RowPosition } from '../store/row-position.ts'
import { after, before, covers, coversRow, isBeyond } from '../store/row-position.ts'
import type { AddressUse } from './event-address.ts'
import type { ReadEvent } from './read-row.ts'
import { readRow } from './read-row.ts'

/**
 * Bytes of events that are committed at once: a body may be a thousand times as large as what was received, and all of one
 * in one transaction would take the memory of the process.
 */
const PART_BYTES = 8 * 1024 * 1024

/** What an event takes beside its texts: its uuid, its numbers, and its objects in memory. */
const EVENT_BYTES = 300

/** Events of one inbox row that follow each other, in the order in which they are processed. */
export interface Stretch {
  readonly row: InboxRow
  readonly read: readonly ReadEvent[]
  readonly rejected: readonly RejectedRow[]
  /** Where it ends. */
  readonly end: RowPosition
}

/** Stretches that follow each other: what goes into one commit. Never empty. */
export type Part = readonly Stretch[]

/** Reads rows and cuts them, within a row where it must be, into parts of about `PART_BYTES`, beginning at a position. */
export const partsOf = function* (
  rows: readonly InboxRow[],
  start: RowPosition,
  addresses: AddressUse,
): Generator<Part> {
  let part: Stretch[] = []
  let bytes = 0
  for (const row of rows) {
    if (coversRow(start, row.id)) continue
    let read: ReadEvent[] = []
    const rejected: RejectedRow[] = []
    for (const one of readRow(row, row.id === start.inboxRow ? start.events : 0, addresses)) {
      if ('reason' in one) {
        rejected.push(one)
        continue
      }
      if (bytes >= PART_BYTES) {
        yield [...part, { row, read, rejected: [], end: before(one) }]
        part = []
        read = []
        bytes = 0
      }
      read.push(one)
      bytes += bytesOf(one)
    }
    part.push({ row, read, rejected, end: after(row.id) })
    if (bytes < PART_BYTES) continue
    yield part
    part = []
    bytes = 0
  }
  if (part.length > 0) yield part
}

/** Cuts a part at a position: what is done with it, and what is left, or null where nothing is. */
export const cutPart = (part: Part, position: RowPosition): readonly [Part, Part | null] => {
  const at = part.findIndex(({ end }) => isBeyond(end, position))
  const cut = part[at]
  if (cut === undefined) return [part, null]
  const done = cut.read.filter((one) => covers(position, one))
  const left = { ...cut, read: cut.read.slice(done.length) }
  return [
    [...part.slice(0, at), { ...cut, read: done, rejected: [], end: position }],
    [left, ...part.slice(at + 1)],
  ]
}

const bytesOf = ({ event }: ReadEvent): number =>
  EVENT_BYTES + event.event.length + event.distinctId.length + event.properties.length
