/** The fields of a row that an event is made of. */
const EVENT_FIELDS: ReadonlySet<string> = new Set([
  'event',
  'distinct_id',
  // The name that Rust clients send.
  '$distinct_id',
  'timestamp',
  'properties',
  'uuid',
  // The names of the uuid in clients that descend from Segment's.
  'messageId',
  'message_id',
  // Browsers put changes of the person here.
  '$set',
  '$set_once',
  '$unset',
  // Exports of posthog have the clicked element here; its clients send it among the properties.
  'elements_chain',
])

/** Returns whether an event has this field. Other fields are not imported; the summary lists them. */
export const isEventField = (name: string): boolean => EVENT_FIELDS.has(name)
