import type { FlagDefinitions } from '../../../wire/definition.ts'
import type { CachedDefinitions } from './cache-provider.ts'
import { isDefinitions } from './judge.ts'

/** Definitions as a cache keeps them. */
export const cachedForm = ({
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

/** What a cache has given, in the form of the feed, whose own names win; undefined when it holds no definitions. */
export const feedForm = (given: unknown): FlagDefinitions | undefined => {
  if (!isDefinitions(given)) return undefined
  const { groupTypeMapping, propertyMatchingVersion, minimalFlagCalledEvents, ...feed } = given as FlagDefinitions &
    Partial<CachedDefinitions>
  return {
    group_type_mapping: groupTypeMapping,
    property_matching_version: propertyMatchingVersion,
    minimal_flag_called_events: minimalFlagCalledEvents,
    ...feed,
  }
}
