import type { JsonObject } from '../../wire/json.ts'
import type { IngestedEvent } from '../ingest/events.ts'
import { readEvents } from '../ingest/events.ts'
import { changeOf } from '../persons/change.ts'
import { hashedUuid } from '../persons/person-id.ts'
import type { RowChange } from '../persons/change.ts'
import type { RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import { jsonText } from '../store/events/json-text.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import type { EventPlace } from '../store/row-position.ts'
import type { AddressUse } from './event-address.ts'
import { addressProperties, withLocation } from './event-address.ts'

/** An event of an inbox row, as it is stored, and what it asks of its person or group. */
export interface ReadEvent extends EventPlace {
  readonly event: StoredEvent
  /** Whether its uuid was sent with it. */
  readonly isNamed: boolean
  readonly change: RowChange | null
}

/**
 * The events of a row, in the order in which they are processed, from an ordinal on. What cannot be read is answered
 * instead, with the reason.
 */
export const readRow = function* (
  row: InboxRow,
  from: number,
  addresses: AddressUse,
): Generator<ReadEvent | RejectedRow> {
  try {
    let ordinal = 0
    for (const given of readEvents(row)) {
      if (ordinal >= from) yield readEvent(row, given, ordinal, addresses)
      ordinal += 1
    }
  } catch (error) {
    yield rejectedRow(row, error)
  }
}

const readEvent = (row: InboxRow, given: IngestedEvent, ordinal: number, addresses: AddressUse): ReadEvent => {
  const { event: added, location } = addressProperties(given, row.address, addresses)
  const change = withLocation(changeOf(given), location)
  // Each field by itself: spreads, for every event, would be about a tenth of all that indexing costs.
  return {
    inboxRow: row.id,
    ordinal,
    event: {
      // What has no uuid is told apart by where it stands: the same at every reading of the row.
      uuid: given.uuid ?? hashedUuid(`event:${row.projectId}:${row.id}:${row.receivedAt}:${given.index}`),
      inboxRow: row.id,
      index: given.index,
      event: given.event,
      distinctId: given.distinctId,
      timestamp: given.timestamp,
      receivedAt: row.receivedAt,
      isHistorical: given.isHistorical,
      properties: jsonText(isEmpty(added) ? given.properties : { ...given.properties, ...added }),
    },
    isNamed: given.uuid !== undefined,
    change: change.kind === 'none' ? null : { inboxRow: row.id, ordinal, change, at: given.timestamp },
  }
}

const isEmpty = (object: JsonObject): boolean => {
  for (const _ in object) return false
  return true
}

/** A row that is set aside. */
export const rejectedRow = (row: InboxRow, error: unknown): RejectedRow => ({
  inboxRow: row.id,
  receivedAt: row.receivedAt,
  reason: error instanceof Error ? error.message : String(error),
  form: row.form,
  body: row.body,
})
