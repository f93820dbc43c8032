import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { batchOf, storedEvent } from '../service-event-store.ts'

/** An event with its person and groups, as they are in the store. */
export interface WorldEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  readonly personId: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly properties: JsonObject
  /** Null for an event that has created no person. */
  readonly person: WorldPerson | null
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  /** Group type to properties; missing for a group that was never described. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>
}

export interface WorldPerson {
  readonly properties: JsonObject
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** When all groups with properties were created. */
export const GROUP_CREATED_AT = 1

let eventCount = 0

/** Creates an event; the fields that are left out say little. Its person has no other distinct id unless the fields have a person's id. */
export const worldEvent = (fields: Partial<Omit<WorldEvent, 'uuid'>> & Pick<WorldEvent, 'timestamp'>): WorldEvent => {
  const { distinctId = 'ada' } = fields
  eventCount += 1
  return {
    uuid: storedEvent(eventCount).uuid,
    event: 'a',
    properties: {},
    person: null,
    groups: {},
    groupProperties: {},
    personId: derivePersonId(1, distinctId),
    ...fields,
    distinctId,
  }
}

/** Stores events, with the persons and groups that they have. */
export const storeWorld = async (store: EventStore, events: readonly WorldEvent[]): Promise<void> => {
  const stored = events.map(({ uuid, event, distinctId, timestamp, properties, groups }) => {
    const hasGroups = Object.keys(groups).length > 0
    return storedEvent(0, {
      uuid,
      event,
      distinctId,
      timestamp,
      properties: hasGroups ? { ...properties, $groups: groups } : properties,
    })
  })
  const persons = new Map(
    events.flatMap(({ personId, person }) =>
      person === null ? [] : [[personId, { id: personId, isIdentified: true, ...person }] as const],
    ),
  )
  const groups = new Map(
    events.flatMap(({ groups: keys, groupProperties }) =>
      Object.entries(groupProperties).map(([type, properties]) => {
        const key = keys[type]!
        return [`${type} ${key}`, { type, key, properties, createdAt: GROUP_CREATED_AT }] as const
      }),
    ),
  )
  const distinctIds = new Map(events.map(({ distinctId, personId }) => [distinctId, personId]))
  const update = { persons: [...persons.values()], distinctIds, groups: [...groups.values()] }
  await store.commit(batchOf(stored, { persons: update }))
}
