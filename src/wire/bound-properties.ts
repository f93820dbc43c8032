import { MAX_GROUP_KEY_CHARACTERS, MAX_ID_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from './bounds.ts'
import { EventName } from './event.ts'
import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Properties within their bounds. */
export interface BoundedProperties {
  readonly properties: JsonObject
  /** Properties that were left out because their names are too long. */
  readonly leftOutProperties: number
  /** Entries of `$groups` that were left out because their types or keys are too long. */
  readonly leftOutGroups: number
}

/** Properties whose own names become names of a person or a group. */
const OWNERS = ['$set', '$set_once', '$group_set'] as const

/** Leaves out what is beyond its bound. Returns the same object if nothing is, which is nearly always so. */
export const boundProperties = (properties: JsonObject): BoundedProperties => {
  let bounded = withoutLongNames(properties)
  let leftOutProperties = countMissing(properties, bounded)
  let leftOutGroups = 0
  for (const owner of OWNERS) {
    const inner = bounded[owner]
    if (!isRecord(inner)) continue
    const boundedInner = withoutLongNames(inner)
    if (boundedInner === inner) continue
    leftOutProperties += countMissing(inner, boundedInner)
    bounded = withMember(bounded, owner, boundedInner)
  }
  const { $groups: groups } = bounded
  if (isRecord(groups)) {
    const boundedGroups = withoutLongGroups(groups)
    if (boundedGroups !== groups) {
      leftOutGroups = countMissing(groups, boundedGroups)
      bounded = { ...bounded, $groups: boundedGroups }
    }
  }
  return { properties: bounded, leftOutProperties, leftOutGroups }
}

/** The name of the first id of an event that is too long, beside its distinct id; null if there is none. */
export const findLongId = (event: string, properties: JsonObject): string | null => {
  if (isLongId(properties['$device_id'])) return '$device_id'
  if (isLongId(properties['$anon_distinct_id'])) return '$anon_distinct_id'
  // In other events, `alias` is the user's own property.
  if (event === EventName.createAlias) return isLongId(properties['alias']) ? 'alias' : null
  if (event !== EventName.groupIdentify && event !== EventName.groupIdentifyMigration) return null
  if (isLongGroup(properties['$group_type'])) return '$group_type'
  return isLongGroup(properties['$group_key']) ? '$group_key' : null
}

const isLongId = (id: Json | undefined): boolean => typeof id === 'string' && id.length > MAX_ID_CHARACTERS

const isLongGroup = (id: Json | undefined): boolean => typeof id === 'string' && id.length > MAX_GROUP_KEY_CHARACTERS

const isShortName = (name: string): boolean => name.length <= MAX_PROPERTY_NAME_CHARACTERS

const withoutLongNames = (object: JsonObject): JsonObject => {
  for (const name in object) if (!isShortName(name)) return pick(object, isShortName)
  return object
}

const withoutLongGroups = (groups: JsonObject): JsonObject => {
  const isKept = (type: string): boolean => !isLongGroup(type) && !isLongGroup(groups[type])
  for (const type in groups) if (!isKept(type)) return pick(groups, isKept)
  return groups
}

const pick = (object: JsonObject, isKept: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => isKept(name)))

const withMember = (object: JsonObject, name: string, value: Json): JsonObject => ({ ...object, [name]: value })

const countMissing = (before: JsonObject, after: JsonObject): number =>
  before === after ? 0 : Object.keys(before).length - Object.keys(after).length
