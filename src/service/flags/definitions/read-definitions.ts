import type { CohortDefinition, FlagDefinitions } from '../../../wire/definition.ts'
import { loadCohorts } from '../../store/metadata/cohorts.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import { listFlags } from '../../store/metadata/flags.ts'
import type { Metadata } from '../../store/metadata/open.ts'

/** All definitions of a project, as they are evaluated and served. */
export interface DefinitionsSnapshot {
  /** Grows with every change; 0 for a project that never had flags. */
  readonly revision: number
  /** True when evaluation is paused because the quota is used up. */
  readonly isPaused: boolean
  /** The definitions feed, but without dependency chains (`addDependencyChains`). Deleted flags and cohorts are left out. */
  readonly definitions: FlagDefinitions
}

/**
 * Reads all definitions of a project. The result may contain a concurrent change but still have the revision before it. Callers
 * that compare revisions then read once more and never miss a change.
 */
export const readDefinitions = async (metadata: Metadata, projectId: number): Promise<DefinitionsSnapshot> => {
  // The revision must be read first, see above.
  const settings = await readFlagSettings(metadata, projectId)
  const { revision, isPaused, groupTypes, propertyMatchingVersion, minimalFlagCalledEvents } = settings
  const flags = await listFlags(metadata, projectId)
  const cohorts: Record<string, CohortDefinition> = {}
  for (const { id, definition } of await loadCohorts(metadata, projectId)) {
    if (!definition.deleted) cohorts[id] = definition.filters.properties
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
