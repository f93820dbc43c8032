import type { DecideRequest } from '../../wire/decide.ts'
import { idToString } from '../../wire/id-to-string.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { FlagOptions } from './flag-reader.ts'

/** The user whose flags are read, with groups and properties. Requests and local evaluation use the same subject. */
export type FlagsSubject = Required<
  Pick<DecideRequest, 'distinct_id' | 'groups' | 'person_properties' | 'group_properties' | 'geoip_disable'>
>

const EMPTY: Readonly<Record<string, never>> = {}

/** JavaScript callers are not type-checked: any value but an object gives an empty object. */
const toObject = (input: unknown): JsonObject => (isRecord(input as Json) ? (input as JsonObject) : EMPTY)

/** Converts group keys to strings; omits invalid ones. */
const toGroupKeys = (input: unknown): Readonly<Record<string, string>> => {
  if (!input) return EMPTY
  // Without a prototype: where it is frozen, a type named `constructor` could not be assigned.
  const groups = Object.create(null) as Record<string, string>
  for (const [type, key] of Object.entries(toObject(input))) {
    const groupKey = idToString(key)
    if (groupKey) groups[type] = groupKey
  }
  return groups
}

/** @param disableGeoip The agent's default. */
export const createFlagsSubject = (distinctId: string, options: FlagOptions, disableGeoip: boolean): FlagsSubject => ({
  distinct_id: distinctId,
  groups: toGroupKeys(options.groups),
  person_properties: toObject(options.personProperties),
  group_properties: toObject(options.groupProperties) as FlagsSubject['group_properties'],
  geoip_disable: options.disableGeoip ?? disableGeoip,
})
