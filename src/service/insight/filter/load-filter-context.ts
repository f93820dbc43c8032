import { loadCohorts } from '../../store/metadata/cohorts.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { FilterContext } from './filter-context.ts'

/** Loads what filters of a project can refer to, with the rules of its flags. */
export const loadFilterContext = async (metadata: Metadata, projectId: number, now: number): Promise<FilterContext> => {
  const { groupTypes, propertyMatchingVersion } = await readFlagSettings(metadata, projectId)
  const cohorts = (await loadCohorts(metadata, projectId)).filter(({ definition }) => !definition.deleted)
  return {
    groupTypes,
    cohorts: Object.fromEntries(cohorts.map(({ id, definition }) => [id, definition.filters.properties])),
    rules: { propertyMatchingVersion },
    now,
  }
}
