import type { CohortDefinition, FlagDefinitions } from '../../../wire/definition.ts'
import { loadCohorts } from '../../store/metadata/cohorts.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import { listFlags } from '../../store/metadata/flags.ts'
import type { Metadata } from '../../store/metadata/open.ts'

/** The definitions of a project as they are evaluated and served. */
export interface ReadDefinitions {
  /** Grows with every change; 0 for a project that never had flags. */
  readonly revision: number
  /** True when evaluation is paused because the quota is used up. */
  readonly isPaused: boolean
  /** The whole feed, without dependency chains (`withDependencyChains`); deleted flags and cohorts are not in it. */
  readonly definitions: FlagDefinitions
}

/**
 * Reads all definitions of a project. A change that is made meanwhile may be in it under the revision before it: who
 * compares revisions then reads once more, and never misses one.
 */
export const readDefinitions = async (metadata: Metadata, projectId: number): Promise<ReadDefinitions> => {
  // The revision first: see above.
  const settings = await readFlagSettings(metadata, projectId)
  const { revision, isPaused, groupTypes, propertyMatchingVersion, minimalFlagCalledEvents } = settings
  const flags = await listFlags(metadata, projectId)
  const cohorts: Record<string, CohortDefinition> = {}
  for (const { id, given } of await loadCohorts(metadata, projectId)) {
    if (!given.deleted) cohorts[id] = given.filters.properties
  }
  const definitions = {
    flags,
    cohorts,
    group_type_mapping: groupTypes,
    ...(propertyMatchingVersion !== undefined && { property_matching_version: propertyMatchingVersion }),
    ...(minimalFlagCalledEvents && { minimal_flag_called_events: true }),
  }
  return { revision, isPaused, definitions }
}
