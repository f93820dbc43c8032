import * as fc from 'fast-check'
import { applyChange, applyDrafts, createWorkingSet, findPersonId } from '../../../src/service/persons/apply-change.ts'
import type { Change, RowChange } from '../../../src/service/persons/change.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import { groupKey, publicIdOf } from '../../../src/service/persons/person.ts'
import type { Group, Person } from '../../../src/service/persons/person.ts'
import type { PersonCopyUpdate } from '../../../src/service/store/events/event-store.ts'
import { loadGroups } from '../../../src/service/store/metadata/groups.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { loadPersons } from '../../../src/service/store/metadata/persons.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

// Changes of persons and groups, and what they must result in.

export type PersonChange = Extract<Change, { kind: 'person' }>

export const person = (fields: Partial<PersonChange> & Pick<PersonChange, 'distinctId'>): PersonChange => ({
  kind: 'person',
  merge: null,
  identifies: false,
  set: {},
  setOnce: {},
  unset: [],
  ...fields,
})

/** Size of a property beside which up to three small ones are rows of their own. */
export const LARGE_BYTES = 1000

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const anyChange: fc.Arbitrary<RowChange['change']> = fc.oneof(
  id.map((distinctId) => person({ distinctId })),
  // Large enough for changes beside it (`LARGE_BYTES`).
  id.map((distinctId) => person({ distinctId, set: { text: 'x'.repeat(LARGE_BYTES), ['__proto__']: null } })),
  fc.tuple(id, fc.constantFrom('plan', 'text')).map(([distinctId, name]) => person({ distinctId, unset: [name] })),
  fc.tuple(id, fc.nat(3)).map(([distinctId, plan]) => person({ distinctId, set: { plan } })),
  fc
    .tuple(id, id)
    .map(([distinctId, fromDistinctId]) =>
      person({ distinctId, identifies: true, merge: { fromDistinctId, kind: 'identify' } }),
    ),
  fc
    .tuple(id, id)
    .map(([distinctId, fromDistinctId]) => person({ distinctId, merge: { fromDistinctId, kind: 'alias' } })),
  fc.tuple(id, fc.nat(3), fc.boolean()).map(([key, seats, isLarge]) => ({
    kind: 'group' as const,
    type: 'company',
    key,
    set: { seats, ...(isLarge && { text: 'x'.repeat(LARGE_BYTES) }) },
  })),
)

export const anyTimedChange = fc.record({ change: anyChange, timestampMs: fc.nat(9).map((n) => n * 500) })

/** The copy of the persons in an event store, and what is added to it but not committed. */
export interface Copy {
  readonly persons: Map<string, Person>
  readonly distinctIds: Map<string, string>
  readonly groups: Map<string, Group>
  /** The keys of those of which changes were written beside all properties. */
  readonly changed: Set<string>
}

export const createCopy = (copy?: Copy): Copy => ({
  persons: new Map(copy?.persons),
  distinctIds: new Map(copy?.distinctIds),
  groups: new Map(copy?.groups),
  changed: new Set(copy?.changed),
})

export const addToCopy = (copy: Copy, update: PersonCopyUpdate): void => {
  const { persons, distinctIds, groups, changedNames, changedBefore } = update
  for (const key of [...persons.map((each) => each.id), ...groups.map(({ type, key }) => groupKey(type, key))])
    if (changedNames?.has(key)) copy.changed.add(key)
    else requireNamed(copy, key, changedBefore)
  for (const [distinctId, personId] of distinctIds) {
    const originId = derivePersonId(1, distinctId)
    if (originId !== personId) requireNamed(copy, originId, changedBefore)
  }
  for (const changed of persons) {
    const names = changedNames?.get(changed.id)
    const stored = copy.persons.get(changed.id)?.properties
    copy.persons.set(changed.id, { ...changed, properties: copyProperties(stored, changed.properties, names) })
  }
  for (const [distinctId, personId] of distinctIds) copy.distinctIds.set(distinctId, personId)
  for (const group of groups) {
    const names = changedNames?.get(groupKey(group.type, group.key))
    const stored = copy.groups.get(group.key)?.properties
    copy.groups.set(group.key, { ...group, properties: copyProperties(stored, group.properties, names) })
  }
}

/** Requires that an update names those whose changes count no more. */
const requireNamed = ({ changed }: Copy, key: string, changedBefore: ReadonlySet<string> | undefined): void => {
  if (changed.delete(key) && changedBefore?.has(key) === false) throw new Error(`Changes of ${key} are left.`)
}

/** All properties, or the stored ones with those that changed. */
const copyProperties = (
  stored: JsonObject | undefined,
  properties: JsonObject,
  names: ReadonlySet<string> | undefined,
): JsonObject => {
  if (names === undefined) return properties
  if (stored === undefined) throw new Error('Only changes of what is not stored.')
  const others = Object.entries(stored).filter(([name]) => !names.has(name))
  return Object.fromEntries([...others, ...Object.entries(properties).filter(([name]) => names.has(name))])
}

export const readMetadata = async (metadata: Metadata) => {
  const persons = await metadata.selectFrom('persons').selectAll().orderBy('id').execute()
  const distinctIds = await metadata.selectFrom('person_distinct_ids').selectAll().orderBy('distinct_id').execute()
  const groups = await metadata.selectFrom('groups').selectAll().orderBy('group_key').execute()
  const loaded = await loadPersons(
    metadata,
    1,
    persons.map((row) => row.id),
  )
  const properties = new Map(loaded.map((each) => [each.id, each.properties]))
  const loadedGroups = await loadGroups(
    metadata,
    1,
    groups.map((row) => ({ type: row.group_type, key: row.group_key })),
  )
  const groupProperties = new Map(loadedGroups.map((each) => [each.key, each.properties]))
  const publicIds = new Map(persons.map((row) => [row.id, row.public_id ?? row.id]))
  return {
    persons: persons
      .toSorted((a, b) => (publicIds.get(a.id)! < publicIds.get(b.id)! ? -1 : 1))
      .map((row) => [publicIds.get(row.id), properties.get(row.id), row.created_at, row.is_identified === 1]),
    distinctIds: distinctIds.map((row) => [row.distinct_id, publicIds.get(row.person_id)]),
    groups: groups.map((row) => [row.group_key, groupProperties.get(row.group_key), row.created_at]),
  }
}

/** The copy as `readMetadata` returns the metadata. A store drops a person that no distinct id belongs to. */
export const describeCopy = ({ persons, distinctIds, groups }: Omit<Copy, 'changed'>) => {
  const mapped = new Set(distinctIds.values())
  const byKey = <Row extends readonly [string, ...unknown[]]>(rows: readonly Row[]): readonly Row[] =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    persons: byKey(
      [...persons.values()]
        .filter((each) => mapped.has(each.id))
        .map((each) => [publicIdOf(each), each.properties, each.createdAt, each.isIdentified] as const),
    ),
    distinctIds: byKey(
      [...distinctIds].map(([distinctId, id]) => [distinctId, publicIdOf({ id, ...persons.get(id) })] as const),
    ),
    groups: byKey([...groups.values()].map((group) => [group.key, group.properties, group.createdAt] as const)),
  }
}

/** Persons and groups that are all in memory, to which changes are applied one after the other. */
export const createReference = () => {
  const workingSet = createWorkingSet(new Map(), new Map(), new Map())
  return {
    apply(changes: readonly Pick<RowChange, 'change' | 'timestampMs'>[]): void {
      for (const { change, timestampMs } of changes)
        applyChange(workingSet, change, timestampMs, (distinctId) => derivePersonId(1, distinctId))
      applyDrafts(workingSet)
    },
    read(): Omit<Copy, 'changed'> {
      const { personIds, persons, groups } = workingSet
      const distinctIds = new Map([...personIds.keys()].map((each) => [each, findPersonId(workingSet, each)!]))
      return { persons, distinctIds, groups: new Map([...groups.values()].map((group) => [group.key, group])) }
    },
  }
}
