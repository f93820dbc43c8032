import { isEmptyObject } from '../../wire/json.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { IngestedEvent, DecompressedRow } from '../ingest/read-events.ts'
import { readEvents } from '../ingest/read-events.ts'
import { byteLengthOf, isMembers } from '../json/json-members.ts'
import { readChange } from '../persons/change.ts'
import { hashToUuid } from '../persons/person-id.ts'
import type { RowChange } from '../persons/change.ts'
import type { EventProperties, RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { ONLY_NODE } from '../store/metadata/node-id.ts'
import type { EventPosition } from '../store/row-position.ts'
import { estimateBytes } from './estimate-bytes.ts'
import type { IpOptions } from './ip-properties.ts'
import { readIpProperties, withLocation } from './ip-properties.ts'

/** An event of an inbox row as it is stored, and the change it makes to its person or group. */
export interface ParsedEvent extends EventPosition {
  readonly event: StoredEvent
  /** Estimated size of its strings. */
  readonly bytes: number
  /** Whether the sender set the uuid; other uuids are derived from the row. */
  readonly hasOwnUuid: boolean
  readonly change: RowChange | null
}

/** How rows are parsed. */
export interface RowOptions extends IpOptions {
  /** The node whose inbox has the rows. */
  readonly nodeId: string
}

/**
 * Parses the events of a row, in processing order, starting at an ordinal. If the row cannot be parsed, the last item is a
 * rejected row with the reason.
 */
export const readRow = function* (
  row: DecompressedRow,
  startOrdinal: number,
  options: RowOptions,
): Generator<ParsedEvent | RejectedRow> {
  try {
    let ordinal = 0
    for (const ingested of readEvents(row)) {
      if (ordinal >= startOrdinal) yield toParsedEvent(row, ingested, ordinal, options)
      ordinal += 1
    }
  } catch (error) {
    yield createRejectedRow(row, error)
  }
}

const toParsedEvent = (row: InboxRow, ingested: IngestedEvent, ordinal: number, options: RowOptions): ParsedEvent => {
  const { event: added, location } = readIpProperties(ingested, row.address, options)
  const { event, distinctId, knownProperties } = ingested
  const change = withLocation(readChange({ event, distinctId, properties: knownProperties }), location)
  const properties = isEmptyObject(added) ? ingested.properties : addProperties(ingested.properties, added)
  // Fields are copied one by one: object spreads here took about a tenth of the indexing time.
  return {
    inboxRow: row.id,
    ordinal,
    bytes: bytesOf(properties) + event.length + distinctId.length,
    event: {
      uuid: ingested.uuid ?? deriveUuid(row, ingested.index, options.nodeId),
      inboxRow: row.id,
      index: ingested.index,
      event,
      distinctId,
      timestamp: ingested.timestamp,
      receivedAt: row.receivedAt,
      isHistorical: ingested.isHistorical,
      properties,
    },
    hasOwnUuid: ingested.uuid !== undefined,
    change: change.kind === 'none' ? null : { inboxRow: row.id, ordinal, change, timestampMs: ingested.timestamp },
  }
}

/**
 * Derives a uuid from the place in the inbox, so that each replay of the row gives the same one. Nodes count their rows by the same numbers;
 * the only node has no id, and keeps the uuids of earlier releases.
 */
const deriveUuid = ({ projectId, id, receivedAt }: InboxRow, index: number, nodeId: string): string => {
  const node = nodeId === ONLY_NODE ? '' : `${nodeId}:`
  return hashToUuid(`event:${node}${projectId}:${id}:${receivedAt}:${index}`)
}

const addProperties = (properties: EventProperties, added: JsonObject): EventProperties =>
  isMembers(properties) ? { ...properties, added } : { ...properties, ...added }

const bytesOf = (properties: EventProperties): number =>
  isMembers(properties) ? byteLengthOf(properties) : estimateBytes(properties)

/** A row as it is kept for the operator; `error` is the reason. */
export const createRejectedRow = (row: InboxRow, error: unknown): RejectedRow => ({
  inboxRow: row.id,
  receivedAt: row.receivedAt,
  reason: error instanceof Error ? error.message : String(error),
  form: row.form,
  body: row.body,
})
