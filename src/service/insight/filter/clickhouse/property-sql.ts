import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'
import { HOT_PROPERTIES } from '../../../store/events/hot-properties.ts'
import type { EventField } from '../condition.ts'
import type { PropertySql } from '../sql/property-sql.ts'
import { bind } from './bind.ts'

/**
 * SQL for a property as text, as all stores read it: strings without quotes, other values as JSON; NULL if it is null or missing.
 *
 * @param column SQL for the JSON object.
 * @param names The name of the property, and of members inside it.
 */
export const readText = (column: string, ...names: readonly string[]): string => {
  const path = writePath(column, names)
  const raw = `JSONExtractRaw(${path})`
  // Integers of more than 64 bits are stored with an exponent (`encodeJson`).
  const isLongInteger = `JSONType(${path}) = 'Double' AND match(${raw}, 'e(19|20)$')`
  return (
    `multiIf(JSONType(${path}) = 'String', JSONExtractString(${path}), JSONType(${path}) = 'Null', NULL, ` +
    `${isLongInteger}, ifNull(toString(toDecimal128OrNull(${raw}, 0)), ${raw}), ${raw})`
  )
}

const writePath = (column: string, names: readonly string[]): string => [column, ...names.map(quoteString)].join(', ')

/** The properties of which `events` has columns, as `readText` reads them. */
const HOT: ReadonlySet<string> = new Set(HOT_PROPERTIES)

const isHot = (column: string, names: readonly string[]): boolean =>
  column === 'events.properties' && names.length === 1 && HOT.has(names[0]!)

/** Reads a property from a column of JSON objects (`ConditionDialect`). */
export const readProperty = (column: string, ...names: readonly string[]): PropertySql => {
  const path = writePath(column, names)
  const text = isHot(column, names) ? `events.${quoteName(names[0]!)}` : readText(column, ...names)
  const type = `multiIf(NOT JSONHas(${path}), NULL, JSONType(${path}) = 'Null', 'NULL', toString(JSONType(${path})))`
  const hasExponent = `match(number, '^-?[0-9](\\\\.[0-9]+)?e[0-9]+$') AND JSONType(${path}) = 'Double'`
  const printed = bind(text, 'number', `if(${hasExponent}, replaceOne(number, 'e', 'e+'), number)`)
  return { text, printed, type }
}

export const readString = (expression: string): PropertySql => ({
  text: expression,
  printed: expression,
  type: "'String'",
})

const READ_FIELD: Readonly<Record<EventField, (column: string) => PropertySql>> = {
  event: (column) => readString(`toString(${column})`),
  distinct_id: readString,
  person_id: (column) => readString(`toString(${column})`),
  uuid: (column) => readString(`toString(${column})`),
  timestamp: (column) => ({
    ...readString(`concat(replaceOne(toString(${column}), ' ', 'T'), 'Z')`),
    milliseconds: `toUnixTimestamp64Milli(${column})`,
  }),
}

/** Reads a field of an event beside its properties; times as ISO 8601 in UTC. */
export const readEventField = (events: string, field: EventField): PropertySql =>
  READ_FIELD[field](`${events}.${field}`)
