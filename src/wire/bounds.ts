/*
 * The bounds of events, held by the service and by every agent. They exist because anyone with the public key can send names and ids, and
 * each of them is read again by lists, insights and flags. Characters are UTF-16 code units, as `string.length` counts them. The README of
 * the service has them as a table.
 */

/** Maximum characters of an event's name. A longer name is cut, and counted. */
export const MAX_EVENT_NAME_CHARACTERS = 200

/**
 * Maximum characters of a distinct id, an alias, `$anon_distinct_id` and `$device_id`. An event with a longer one is refused
 * (`id_too_long`); ids are never cut, because two ids that are cut could become one. Ids that are stored already stay usable, and flags hash
 * the whole id.
 */
export const MAX_ID_CHARACTERS = 400

/** Maximum characters of a group's type and key. `$groupidentify` with a longer one is refused; an entry of `$groups` is left out. */
export const MAX_GROUP_KEY_CHARACTERS = 400

/** Maximum characters of a property's name: `$feature/` and the key of a flag fit. A property with a longer name is left out, and counted. */
export const MAX_PROPERTY_NAME_CHARACTERS = 512

/**
 * Maximum levels of objects and arrays in an event, including the event itself. Functions that write JSON call themselves per level. They
 * overflow the stack at depths that JSON parsers accept. An event with more is refused; agents leave such a property out.
 */
export const MAX_EVENT_LEVELS = 200

/**
 * Times of events, in milliseconds since 1970: years 0001 to 9999, the range of a column store and of ISO 8601 with four digits. An event
 * with another time gets that of its arrival; agents give it the time of the call.
 */
export const MIN_TIME_MS = -62_135_596_800_000
export const MAX_TIME_MS = 253_402_300_799_000

/** Maximum bytes of one event as JSON in UTF-8. A larger event is refused (`too_large`). */
export const MAX_EVENT_BYTES: number = 1024 * 1024

/**
 * Maximum bytes of a person's or group's properties as JSON in UTF-8. Only the property that does not fit is left out; stored ones that are
 * larger may change if they do not grow.
 */
export const MAX_PERSON_PROPERTIES_BYTES: number = 512 * 1024

/** Maximum bytes of a value in a list, and in the column `*` of an events query. A longer value is shown cut, with a mark. */
export const MAX_SHOWN_VALUE_BYTES: number = 8 * 1024

/** Maximum number of distinct ids that an answer shows of a person, who may have hundreds of thousands. */
export const MAX_SHOWN_DISTINCT_IDS: number = 1000

/** Bytes after which a page of a list ends; the rest follows on the next page. */
export const MAX_PAGE_BYTES: number = 4 * 1024 * 1024

/**
 * Maximum characters of a property's value in a flags request, and of its JSON if it is a list or an object. A flag that needs a longer one is
 * inconclusive (`errorsWhileComputingFlags`).
 */
export const MAX_FLAG_VALUE_CHARACTERS: number = 64 * 1024
