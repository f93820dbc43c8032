import { MAX_GROUP_KEY_CHARACTERS, MAX_ID_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from './bounds.ts'
import { EventName } from './event.ts'
import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Properties whose own names become names of a person or a group. */
export const PROPERTY_OWNERS = ['$set', '$set_once', '$group_set'] as const

/**
 * Leaves out properties whose names are too long, and entries of `$groups` whose types or keys are. Returns the same object if nothing is
 * left out, which is nearly always so.
 */
export const boundProperties = (properties: JsonObject): JsonObject => {
  let bounded = keepMembers(properties, isShortName)
  for (const owner of PROPERTY_OWNERS) bounded = boundMember(bounded, owner, isShortName)
  return boundMember(bounded, '$groups', isShortGroup)
}

/** The name of the first id of an event that is too long, beside its distinct id; undefined if there is none. */
export const findLongId = (event: string, properties: JsonObject): string | undefined => {
  const names = ['$device_id', '$anon_distinct_id']
  // In other events, these are the user's own properties.
  if (event === EventName.createAlias) names.push('alias')
  if (event === EventName.groupIdentify || event === EventName.groupIdentifyMigration)
    names.push('$group_type', '$group_key')
  return names.find((name) => isLongId(properties[name]))
}

/** Whether a member of an object stays. */
type IsKept = (name: string, object: JsonObject) => boolean

/** Returns an object with these members; the same one if it has no others. It runs for every event, so it allocates nothing for most. */
export const keepMembers = (object: JsonObject, isKept: IsKept): JsonObject => {
  for (const name in object)
    if (!isKept(name, object) && Object.prototype.hasOwnProperty.call(object, name))
      return Object.fromEntries(Object.entries(object).filter(([each]) => isKept(each, object)))
  return object
}

const boundMember = (object: JsonObject, name: string, isKept: IsKept): JsonObject => {
  const inner = object[name]
  if (!isRecord(inner)) return object
  const bounded = keepMembers(inner, isKept)
  return bounded === inner ? object : { ...object, [name]: bounded }
}

const isLongId = (id: Json | undefined, max: number = MAX_ID_CHARACTERS): boolean =>
  typeof id === 'string' && id.length > max

const isLongGroup = (id: Json | undefined): boolean => isLongId(id, MAX_GROUP_KEY_CHARACTERS)

const isShortName = (name: string): boolean => name.length <= MAX_PROPERTY_NAME_CHARACTERS

const isShortGroup: IsKept = (type, groups) => !isLongGroup(type) && !isLongGroup(groups[type])
