import type { FlagDefinitions } from '../../../wire/definition.ts'
import type { CachedDefinitions } from './cache-provider.ts'
import { isDefinitions } from './classify-definitions-response.ts'

/** Converts definitions to the form that a cache provider stores. */
export const toCachedDefinitions = ({
  flags,
  group_type_mapping,
  cohorts,
  property_matching_version: version,
  minimal_flag_called_events: minimal,
}: FlagDefinitions): CachedDefinitions => ({
  flags,
  groupTypeMapping: group_type_mapping ?? {},
  cohorts: cohorts ?? {},
  ...(version != null && { propertyMatchingVersion: version }),
  ...(minimal !== undefined && { minimalFlagCalledEvents: minimal }),
})

/** Converts the result of a cache provider. Names of the service's own JSON win. Undefined if the result has no definitions. */
export const fromCachedDefinitions = (cached: unknown): FlagDefinitions | undefined => {
  if (!isDefinitions(cached)) return undefined
  const { groupTypeMapping, propertyMatchingVersion, minimalFlagCalledEvents, ...definitions } =
    cached as FlagDefinitions & Partial<CachedDefinitions>
  return {
    group_type_mapping: groupTypeMapping,
    property_matching_version: propertyMatchingVersion,
    minimal_flag_called_events: minimalFlagCalledEvents,
    ...definitions,
  }
}
