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

/** A property as text: null if it is missing or null. */
export const textOf = (reference: PropertyReference, event: WorldEvent): string | null => {
  const value: Json | undefined = ownerOf(reference, event)?.[reference.name]
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
