import {
  MAX_EVENT_BYTES,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_GROUP_KEY_CHARACTERS,
  MAX_ID_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
} from '../../wire/bounds.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { toStoredId } from '../../wire/stored-id.ts'
import { GEO_PROPERTIES } from '../geo/geo-lookup.ts'
import { CLOSING_BRACKET, COMMA, OPENING_BRACE, OPENING_BRACKET } from '../json/characters.ts'
import type { JsonMembers } from '../json/json-members.ts'
import { createTape, formOf, MEMBER_NUMBERS, nameOf, parseValue, ValueForm } from '../json/json-members.ts'
import type { NameTable } from '../json/name-table.ts'
import { createNameTable } from '../json/name-table.ts'
import { scanMembers } from '../json/scan-members.ts'
import { skipValue, skipWhitespace } from '../json/skip-value.ts'

/** An event whose fields were found in the bytes of its request. */
export interface ScannedEvent {
  /** Not empty. */
  readonly event: string
  /** Not empty. */
  readonly distinctId: string
  readonly uuid: Json | undefined
  readonly timestamp: Json | undefined
  readonly offset: Json | undefined
  readonly properties: JsonObject | JsonMembers
  readonly knownProperties: KnownProperties
}

/** The events of a request in their order. Those that have to be parsed are JSON: unusual ones, and those that will not be stored. */
export type ScannedEvents = readonly (ScannedEvent | ParsedEvent)[]

export interface ParsedEvent {
  readonly json: Json
}

/** In place of an event that is too large, which is not parsed. It is not stored. */
export const LARGE_EVENT: ParsedEvent = { json: null }

/** Finds the fields of events in the bytes of one request after the other. */
export interface EventScanner {
  /** Must be called before the events of a request. */
  startRequest(bytes: Buffer): void
  /** Scans the object that starts here; null for an event that has to be parsed. */
  scanEvent(start: number): ScannedEvent | null
  /** Scans the array of events that starts here; null if there is none, or if it is not valid. */
  scanEvents(start: number): ScannedEvents | null
  /** Where the array ends. */
  end(): number
  /** Releases the bytes. */
  endRequest(): void
}

/** The quotation marks of a string. */
const QUOTES_BYTES = 2

/** Fields of an event object. */
const FIELDS = ['event', 'distinct_id', 'properties', 'uuid', 'timestamp', 'offset'] as const
const [EVENT, DISTINCT_ID, PROPERTIES, UUID, TIMESTAMP, OFFSET] = FIELDS.map((_, index) => index)

/** Fields of an event object that are rare and change how the others are read (`readEvents`, `checkEvent`). */
const RARE_FIELDS = ['$distinct_id', 'messageId', 'message_id', '$set', '$set_once', '$unset']

/** Properties that the service reads: `readChange`, `readIpProperties`, `readEvents`. `$set` and its like are fields as well. */
const KNOWN_PROPERTIES = [
  '$set',
  '$set_once',
  '$unset',
  '$process_person_profile',
  '$anon_distinct_id',
  'alias',
  '$group_type',
  '$group_key',
  '$group_set',
  '$ip',
  '$geoip_disable',
  '$ignore_sent_at',
  ...GEO_PROPERTIES,
] as const

/** The properties that the service itself reads, parsed. Of parsed properties there are others as well. */
export type KnownProperties = { readonly [Name in (typeof KNOWN_PROPERTIES)[number]]?: Json }

/**
 * Bytes of the JSON of properties up to which they are within their bounds for certain, as a character has at least one byte. An event with
 * more is parsed, and `checkEvent` decides.
 */
const SAFE_BYTES: Readonly<Record<string, number>> = {
  $anon_distinct_id: MAX_ID_CHARACTERS,
  alias: MAX_ID_CHARACTERS,
  $group_type: MAX_GROUP_KEY_CHARACTERS,
  $group_key: MAX_GROUP_KEY_CHARACTERS,
  $device_id: MAX_ID_CHARACTERS,
  $groups: MAX_GROUP_KEY_CHARACTERS,
}

/** Properties that have a bound, but are not read. */
const BOUNDED_PROPERTIES = ['$device_id', '$groups'] as const

const FIRST_NAMES = [...new Set([...FIELDS, ...RARE_FIELDS, ...KNOWN_PROPERTIES, ...BOUNDED_PROPERTIES])]
const FIRST_BOUNDED_PROPERTY = FIRST_NAMES.indexOf(BOUNDED_PROPERTIES[0])
const SAFE_BYTES_BY_NAME = FIRST_NAMES.map((name) => (SAFE_BYTES[name] ?? Infinity) + QUOTES_BYTES)
const FIRST_RARE_FIELD = FIELDS.length
const FIRST_KNOWN_PROPERTY = FIRST_NAMES.indexOf(KNOWN_PROPERTIES[0])
const LAST_RARE_FIELD = FIELDS.length + RARE_FIELDS.length - 1

/** Names within the objects of these properties become names of a person's or group's properties. */
const hasLongName = (value: Json): boolean => {
  if (isRecord(value)) for (const name in value) if (name.length > MAX_PROPERTY_NAME_CHARACTERS) return true
  return false
}

/** A tape has room for this number of members at first. */
const FIELD_MEMBERS = 16
const PROPERTY_MEMBERS = 32

/** Estimated bytes of a member, with its share of the event. */
const BYTES_PER_MEMBER = 36

export const createEventScanner = (): EventScanner => {
  let names: NameTable = createNameTable(FIRST_NAMES)
  const fields = createTape(names, FIELD_MEMBERS)
  let bytes: Buffer = NO_BYTES
  let properties = fields
  let end = 0
  /** Where the values of an event's fields start, by the numbers of `FIELDS`; -1 for none. */
  const starts = new Int32Array(FIELDS.length)
  const ends = new Int32Array(FIELDS.length)
  const forms = new Int32Array(FIELDS.length)

  const readField = (field: number): Json | undefined =>
    starts[field]! < 0
      ? undefined
      : forms[field] === ValueForm.string
        ? bytes.toString('utf8', starts[field]! + 1, ends[field]! - 1)
        : parseValue(bytes, starts[field]!, ends[field]!)

  /** Null if the event has to be parsed, because a property may be beyond its bound. */
  const readKnownProperties = (first: number): KnownProperties | null => {
    const { numbers, length } = properties
    let known: Record<string, Json> | null = null
    for (let at = first; at < length; at += MEMBER_NUMBERS) {
      const name = nameOf(numbers[at]!)
      if (name < FIRST_KNOWN_PROPERTY || name >= FIRST_NAMES.length) continue
      const [start, valueEnd] = [numbers[at + 2]!, numbers[at + 3]!]
      if (valueEnd - start > SAFE_BYTES_BY_NAME[name]!) return null
      if (name >= FIRST_BOUNDED_PROPERTY) continue
      known ??= {}
      const value = parseValue(bytes, start, valueEnd)
      if (valueEnd - start > MAX_PROPERTY_NAME_CHARACTERS && hasLongName(value)) return null
      known[names.names[name]!] = value
    }
    return known ?? NO_PROPERTIES
  }

  /** Finds the fields; false if the event has to be parsed. */
  const findFields = (): boolean => {
    starts.fill(-1)
    const { numbers, length } = fields
    for (let at = 0; at < length; at += MEMBER_NUMBERS) {
      const name = nameOf(numbers[at]!)
      if (name < FIRST_RARE_FIELD) {
        // Of a field that occurs twice, JSON parsers keep the last.
        if (starts[name]! >= 0) return false
        starts[name] = numbers[at + 2]!
        ends[name] = numbers[at + 3]!
        forms[name] = formOf(numbers[at]!)
      } else if (name <= LAST_RARE_FIELD) return false
    }
    return (
      starts[EVENT!]! >= 0 &&
      forms[EVENT!] === ValueForm.string &&
      starts[DISTINCT_ID!]! >= 0 &&
      (forms[DISTINCT_ID!] === ValueForm.string || forms[DISTINCT_ID!] === ValueForm.number) &&
      starts[PROPERTIES!]! >= 0 &&
      bytes[starts[PROPERTIES!]!] === OPENING_BRACE
    )
  }

  const scanEvent = (start: number): ScannedEvent | null => {
    fields.length = 0
    const firstNumber = properties.length
    end = scanMembers(bytes, start, fields, PROPERTIES, properties)
    const isUsual = end >= 0 && end - start <= MAX_EVENT_BYTES && findFields()
    const event = isUsual ? toStoredId(readField(EVENT!)) : null
    const distinctId = isUsual ? toStoredId(readField(DISTINCT_ID!)) : null
    const knownProperties =
      event === null ||
      event.length > MAX_EVENT_NAME_CHARACTERS ||
      distinctId === null ||
      distinctId.length > MAX_ID_CHARACTERS
        ? null
        : readKnownProperties(firstNumber)
    if (event === null || distinctId === null || knownProperties === null) {
      properties.length = firstNumber
      return null
    }
    return {
      event,
      distinctId,
      uuid: readField(UUID!),
      timestamp: readField(TIMESTAMP!),
      offset: readField(OFFSET!),
      properties: {
        bytes,
        start: starts[PROPERTIES!]!,
        end: ends[PROPERTIES!]!,
        tape: properties,
        firstNumber,
        endNumber: properties.length,
        added: null,
      },
      knownProperties,
    }
  }

  return {
    scanEvent,
    startRequest(newBytes) {
      bytes = newBytes
      // Earlier tapes keep their table.
      if (names.isFull()) fields.names = names = createNameTable(FIRST_NAMES)
      properties = createTape(names, Math.max(PROPERTY_MEMBERS, Math.ceil(bytes.length / BYTES_PER_MEMBER)))
    },
    scanEvents(start) {
      if (bytes[start] !== OPENING_BRACKET) return null
      const events: (ScannedEvent | ParsedEvent)[] = []
      let at = skipWhitespace(bytes, start + 1)
      while (bytes[at] !== CLOSING_BRACKET) {
        const event = scanEvent(at)
        if (event === null) {
          end = skipValue(bytes, at)
          if (end < 0) return null
          events.push(end - at > MAX_EVENT_BYTES ? LARGE_EVENT : { json: parseValue(bytes, at, end) })
        } else events.push(event)
        at = skipWhitespace(bytes, end)
        if (bytes[at] === CLOSING_BRACKET) break
        if (bytes[at] !== COMMA) return null
        at = skipWhitespace(bytes, at + 1)
        // JSON has no comma at the end of an array.
        if (bytes[at] === CLOSING_BRACKET) return null
      }
      end = at + 1
      return events
    },
    end: () => end,
    endRequest() {
      bytes = NO_BYTES
      properties = fields
    },
  }
}

const NO_PROPERTIES: KnownProperties = {}
const NO_BYTES = Buffer.alloc(0)
