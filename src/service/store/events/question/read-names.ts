import type { EventName, PropertyType } from '../../../insight/question/names.ts'
import type { Rows } from './select.ts'

/** Most names of each kind. */
export const MAX_NAMES = 10_000

/**
 * The properties of events are read from the newest of each frequent event: to read all would take minutes, and the newest of all may be
 * of one event.
 */
export const MAX_SAMPLED_EVENTS = 200
export const MAX_SAMPLE_PER_EVENT = 100

/** Persons and groups whose properties are read: the newest ones. */
export const MAX_SAMPLED_OWNERS = 10_000

/** The start of a JSON string with a time in ISO 8601, as a regular expression. */
export const TIME_PATTERN = '^"\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d'

/** Reads the names of events from rows of name, number of events, and the times of the first and the last one. */
export const readEventNames = (rows: Rows): readonly EventName[] =>
  rows.map(([name, count, firstSeen, lastSeen]) => ({
    name: name as string,
    count: Number(count),
    firstSeen: Number(firstSeen),
    lastSeen: Number(lastSeen),
  }))

/**
 * The type of a property.
 *
 * @param types The engine's names of the types of its values.
 * @param known The types of these names; others are `mixed`.
 */
export const toType = (
  types: readonly string[],
  known: Readonly<Record<string, PropertyType>>,
  areTimes: boolean,
): PropertyType => {
  const [first = 'mixed', ...others] = new Set(types.map((type) => known[type] ?? 'mixed'))
  if (others.length > 0) return 'mixed'
  return first === 'text' && areTimes ? 'time' : first
}
