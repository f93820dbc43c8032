import type { JsonObject } from '../../../wire/json.ts'
import type { StoredEvent } from './event-store.ts'

/**
 * Makes an event of a row of a store, to write it into another one.
 *
 * @param values uuid, name, distinct id, timestamp and time of receipt in milliseconds since 1970, whether it is historical, and the properties
 * as JSON.
 */
export const toStoredEvent = (values: readonly unknown[]): StoredEvent => {
  const [uuid, event, distinctId, timestamp, receivedAt, isHistorical, properties] = values
  return {
    uuid: String(uuid),
    event: String(event),
    distinctId: String(distinctId),
    timestamp: Number(timestamp),
    receivedAt: Number(receivedAt),
    isHistorical: isHistorical === true,
    properties: JSON.parse(String(properties)) as JsonObject,
    // Only for finding duplicates.
    inboxRow: 0,
    index: 0,
  }
}
