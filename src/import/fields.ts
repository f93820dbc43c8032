/** The fields of a row that an event is made of. */
const FIELDS: ReadonlySet<string> = new Set([
  'event',
  'distinct_id',
  // Rust clients put a dollar before it.
  '$distinct_id',
  'timestamp',
  'properties',
  'uuid',
  // What clients that came from Segment's call the uuid.
  'messageId',
  'message_id',
  // Where browsers put what changes a person.
  '$set',
  '$set_once',
  '$unset',
  // Exports of posthog have the clicked element here, its clients among the properties.
  'elements_chain',
])

/** Whether a field of a row has a place in an event. What has none is left out, and told of. */
export const isField = (name: string): boolean => FIELDS.has(name)
