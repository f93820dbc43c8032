import type { JsonObject } from '../../../src/wire/json.ts'
import type { IngestedEvent } from '../../../src/service/ingest/read-events.ts'
import { readEvents } from '../../../src/service/ingest/read-events.ts'
import { toObject } from '../../../src/service/json/json-members.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'

/** An event whose properties are parsed. */
export type ParsedEvent = Omit<IngestedEvent, 'properties' | 'knownProperties'> & { readonly properties: JsonObject }

/** Reads the events of an inbox row, and parses the properties that the service leaves as they were sent. */
export const readParsedEvents = (row: InboxRow): ParsedEvent[] =>
  readEvents(row).map(({ index, uuid, event, distinctId, timestamp, isHistorical, properties }) => ({
    index,
    uuid,
    event,
    distinctId,
    timestamp,
    isHistorical,
    properties: toObject(properties),
  }))
