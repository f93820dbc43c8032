import type { DecideRequest } from '../../wire/decide.ts'
import { idText } from '../../wire/id-text.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { FlagOptions } from './flag-verbs.ts'

/** Whom flags are for: what the service is asked with and what is evaluated here alike. */
export type FlagsSubject = Required<
  Pick<DecideRequest, 'distinct_id' | 'groups' | 'person_properties' | 'group_properties' | 'geoip_disable'>
>

const NONE: Readonly<Record<string, never>> = {}

/** Not all callers are held to the types: what is no object is none. */
const objectOf = (given: unknown): JsonObject => (isRecord(given as Json) ? (given as JsonObject) : NONE)

/** What is no id stands for no group. */
const groupKeys = (given: unknown): Readonly<Record<string, string>> => {
  if (!given) return NONE
  const groups: Record<string, string> = {}
  for (const [type, key] of Object.entries(objectOf(given))) {
    const text = idText(key)
    if (text) groups[type] = text
  }
  return groups
}

/** @param disableGeoip Where the options do not say. */
export const flagsSubject = (distinctId: string, options: FlagOptions, disableGeoip: boolean): FlagsSubject => ({
  distinct_id: distinctId,
  groups: groupKeys(options.groups),
  person_properties: objectOf(options.personProperties),
  group_properties: objectOf(options.groupProperties) as FlagsSubject['group_properties'],
  geoip_disable: options.disableGeoip ?? disableGeoip,
})
