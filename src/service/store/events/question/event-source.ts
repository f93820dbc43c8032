import type { EventField } from '../../../insight/filter/condition.ts'
import { createConditionWriter } from '../../../insight/filter/sql/condition-writer.ts'
import type { ConditionWriter } from '../../../insight/filter/sql/condition-writer.ts'
import type { PropertySql } from '../../../insight/filter/sql/property-sql.ts'
import type { Actor, EventSelection, PropertyReference } from '../../../insight/question/subject.ts'
import type { DateRange } from '../../../insight/time/date-range.ts'
import type { Engine } from './engine.ts'
import { applyRule } from './value-rule.ts'

/** Writes what a SELECT reads of the selected events, and the clauses that it then needs. */
export interface EventSource extends ConditionWriter {
  /** Writes a string of any length. `parameters` has it. */
  readonly bind: (value: string) => string
  /** The strings of the SQL by the names of their parameters. */
  readonly parameters: Readonly<Record<string, string>>
  /** SQL for who is counted; NULL if the event has none. */
  readonly writeActor: (actor: Actor) => string
  /** SQL for a value that no two actors have in common; NULL if the event has none. Of persons it is shorter than the id. */
  readonly writeActorKey: (actor: Actor) => string
  /** SQL for a property as text, as its rule says; NULL if it is missing or null. Its person or group is joined. */
  readonly writeText: (property: PropertyReference) => string
  /** The FROM and WHERE clauses for the selected events in a range, with all joins so far. `conditions`: further SQL that must be true. */
  readonly writeFrom: (range: DateRange, ...conditions: readonly string[]) => string
  /** The same for all events, whether or not they are selected, and of all times. */
  readonly writeFromAll: (...conditions: readonly string[]) => string
}

/** The column with the time of an event. */
export const EVENT_TIME_COLUMN = 'events.timestamp'

const EVENT_PROPERTIES = 'events.properties'

export const createEventSource = ({ matching, path, condition }: EventSelection, engine: Engine): EventSource => {
  const { readProperty, readEventField } = engine
  const groupKeyOf = (type: string): string => readProperty(EVENT_PROPERTIES, '$groups', type).text
  const writer = createConditionWriter({ ...matching, path, maxQueryBytes: Infinity, dialect: engine })
  const selected = writer.write(condition)
  const writeFromAll = (...conditions: readonly string[]): string =>
    ['FROM events', ...joins.values(), `WHERE ${conditions.join(' AND ')}`].join(' ')
  /** Joins by the name of the joined table. */
  const joins = new Map<string, string>()
  /** The names of the joined tables of groups by their type. */
  const groupTables = new Map<string, string>()
  const parameters: Record<string, string> = {}

  const joinPersons = (): string => {
    joins.set('person', engine.joinPersons)
    return 'person'
  }
  const joinGroups = (type: string): string => {
    const name = groupTables.get(type) ?? `group_${groupTables.size}`
    groupTables.set(type, name)
    joins.set(name, engine.joinGroups(name, type, groupKeyOf(type)))
    return name
  }
  /** An owner's property, or what the event implies if the owner has no such property. */
  const readOwned = (table: string, name: string, impliedName: string, implied: string): string => {
    const { text, type }: PropertySql = readProperty(`${table}.properties`, name)
    return name === impliedName ? `(CASE WHEN ${type} IS NULL THEN ${implied} ELSE ${text} END)` : text
  }

  const writeActor = (actor: Actor): string => {
    if (actor.of === 'person') return 'events.person_id'
    if (actor.of === 'group') return groupKeyOf(actor.type)
    return `nullif(${readProperty(EVENT_PROPERTIES, '$session_id').text}, '')`
  }

  const readText = ({ source, name }: PropertyReference): string => {
    switch (source.of) {
      case 'event':
        return readProperty(EVENT_PROPERTIES, name).text
      case 'event_metadata':
        return readEventField('events', name as EventField).text
      case 'person':
        return readOwned(joinPersons(), name, 'distinct_id', 'events.distinct_id')
      default:
        return readOwned(joinGroups(source.type), name, '$group_key', groupKeyOf(source.type))
    }
  }

  return {
    ...writer,
    parameters,
    bind: (value) => engine.bindString(value, parameters),
    writeActor,
    writeActorKey: (actor) => (actor.of === 'person' ? engine.personKey : writeActor(actor)),
    writeText: (property) => applyRule(readText(property), property.rule, engine),
    writeFrom: (range, ...conditions) => writeFromAll(engine.dateRange(range), selected, ...conditions),
    writeFromAll,
  }
}
