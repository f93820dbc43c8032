import type { EventField } from '../condition.ts'
import { writeJsonPointer } from '../../../sql/json-pointer.ts'
import { quoteString } from '../../../sql/quote.ts'
import { bind } from './bind.ts'

/** SQL expressions that read one property of a row. */
export interface PropertySql {
  /** The property as a string: strings without quotes, other values as JSON; NULL if it is null or missing. */
  readonly text: string
  /**
   * `text` with numbers as JavaScript prints them: engines write `1e21` without the plus sign. Slower, so only for operators
   * that can tell the difference.
   */
  readonly printed: string
  /** The engine's name for the JSON type, `'NULL'` for null; NULL for a missing property. */
  readonly type: string
  /** For a time: milliseconds since 1970. */
  readonly milliseconds?: string
}

/** Writes the path of a property, of an object inside the properties if there are more names, as a string in SQL. */
const writePath = (names: readonly string[]): string => {
  const [name] = names
  // The short form, for names that DuckDB does not read as a path.
  if (names.length === 1 && /^\w+$/.test(name!)) return quoteString(name!)
  // Inside double quotes, `*` alone still means all members. A JSON Pointer knows no such thing.
  if (names.includes('*')) return quoteString(writeJsonPointer(names))
  return quoteString(`$${names.map((each) => `."${each.replace(/["\\]/g, '\\$&')}"`).join('')}`)
}

/**
 * Reads a property from a column of JSON objects. This is the only place that writes such an expression, because the store
 * recognises it and reads frequent properties from columns of their own.
 *
 * @param names The name of the property, and of members inside it.
 */
export const readProperty = (column: string, ...names: readonly string[]): PropertySql => {
  const path = writePath(names)
  const text = `(${column}->>${path})`
  const type = `json_type(${column}, ${path})`
  const hasExponent = `regexp_full_match(number, '-?\\d(\\.\\d+)?e\\d+') AND ${type} = 'DOUBLE'`
  const printed = bind(text, 'number', `CASE WHEN ${hasExponent} THEN replace(number, 'e', 'e+') ELSE number END`)
  return { text, printed, type }
}

/** Treats an expression as a property that is always a string. */
export const readString = (expression: string): PropertySql => ({
  text: expression,
  printed: expression,
  type: "'VARCHAR'",
})

const READ_FIELD: Readonly<Record<EventField, (column: string) => PropertySql>> = {
  event: readString,
  distinct_id: readString,
  person_id: (column) => readString(`${column}::VARCHAR`),
  uuid: (column) => readString(`${column}::VARCHAR`),
  timestamp: (column) => ({
    ...readString(`strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`),
    milliseconds: `epoch_ms(${column})`,
  }),
}

/** Reads a field of an event beside its properties; times as ISO 8601 in UTC. */
export const readEventField = (events: string, field: EventField): PropertySql =>
  READ_FIELD[field](`${events}.${field}`)
