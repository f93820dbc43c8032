import type { MatchingRules } from '../../../../src/evaluate/operators/operator.ts'
import { operatorTable } from '../../../../src/evaluate/operators/operator-table.ts'
import type { Condition, PropertyCondition } from '../../../../src/service/insight/filter/condition.ts'
import type { EventSelection, PropertyReference } from '../../../../src/service/insight/question/subject.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'
import type { WorldEvent } from '../world.ts'

/** The properties that a property is one of; undefined for an event without such a group. */
const ownerOf = ({ source }: Pick<PropertyReference, 'source'>, event: WorldEvent): JsonObject | undefined => {
  switch (source.of) {
    case 'event':
      return event.properties
    case 'event_metadata':
      return {
        event: event.event,
        distinct_id: event.distinctId,
        person_id: event.personId,
        timestamp: new Date(event.timestamp).toISOString(),
        uuid: event.uuid,
      }
    case 'person':
      return { distinct_id: event.distinctId, ...event.person?.properties }
    default: {
      const key = event.groups[source.type]
      return key === undefined ? undefined : { $group_key: key, ...event.groupProperties[source.type] }
    }
  }
}

const matchesProperty = (
  condition: PropertyCondition,
  event: WorldEvent,
  rules: MatchingRules,
  now: number,
): boolean => {
  const operator = operatorTable.get(condition.operator)!(condition.value, rules)
  if (typeof operator === 'string') throw new Error(operator)
  const owner = ownerOf(condition, event)
  if (owner === undefined) return false
  const value = owner[condition.name]
  const result = value === undefined ? operator.ifAbsent : operator.test(value, { complete: true, now })
  return result !== undefined && result !== condition.isNegated
}

/** Whether an event is selected, by reading one event at a time. */
export const matches = (condition: Condition, event: WorldEvent, matching: EventSelection['matching']): boolean => {
  const { rules, now } = matching
  const matchesOne = (each: Condition): boolean => matches(each, event, matching)
  switch (condition.kind) {
    case 'all':
      return condition.conditions.every(matchesOne)
    case 'any':
      return condition.conditions.some(matchesOne)
    case 'cohort':
      return matchesOne(condition.condition)
    case 'event_name':
      return event.event === condition.name
    case 'event_field': {
      const { distinctId, personId, uuid } = event
      return { distinct_id: distinctId, person_id: personId, uuid }[condition.field] === condition.value
    }
    default:
      return matchesProperty(condition, event, rules, now)
  }
}

/** A property as text, as its rule says: null if it is missing or null. */
export const textOf = (reference: PropertyReference, event: WorldEvent): string | null => {
  const value: Json | undefined = ownerOf(reference, event)?.[reference.name]
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const { rule } = reference
  if (rule === undefined) return text
  return rule.kind === 'url' ? text.replace(/[/?#]+$/, '') || '/' : binOf(text, rule.bounds)
}

const binOf = (text: string, bounds: readonly number[]): string | null => {
  const number = readNumber(text)
  if (number === null || bounds.length === 0) return null
  const isIn = (index: number): boolean =>
    (number >= bounds[index]! || index === 0) && (number < bounds[index + 1]! || index === bounds.length - 2)
  const bin = [...bounds.keys()].find(isIn)!
  return `[${bounds[bin]},${bounds[bin + 1]}]`
}

/** The number that a text is; null for none. */
export const readNumber = (text: string | null): number | null =>
  text !== null && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null
