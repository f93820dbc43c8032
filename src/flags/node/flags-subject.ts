import type { DecideRequest } from '../../wire/decide.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { toGroupKeys } from '../../wire/to-group-keys.ts'
import type { FlagOptions } from './flag-reader.ts'

/** The user whose flags are read, with groups and properties. Requests and local evaluation use the same subject. */
export type FlagsSubject = Required<
  Pick<DecideRequest, 'distinct_id' | 'groups' | 'person_properties' | 'group_properties' | 'geoip_disable'>
>

const EMPTY: Readonly<Record<string, never>> = {}

/** JavaScript callers are not type-checked: any value but an object gives an empty object. */
const toObject = (input: unknown): JsonObject => (isRecord(input as Json) ? (input as JsonObject) : EMPTY)

/** @param disableGeoip The agent's default. */
export const createFlagsSubject = (distinctId: string, options: FlagOptions, disableGeoip: boolean): FlagsSubject => ({
  distinct_id: distinctId,
  groups: options.groups ? toGroupKeys(options.groups) : EMPTY,
  person_properties: toObject(options.personProperties),
  group_properties: toObject(options.groupProperties) as FlagsSubject['group_properties'],
  geoip_disable: options.disableGeoip ?? disableGeoip,
})
