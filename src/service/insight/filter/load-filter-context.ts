import { loadCohorts } from '../../store/metadata/cohorts.ts'
import { findProjectById } from '../../store/metadata/projects.ts'
import { readFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { FilterContext } from './filter-context.ts'

/** Loads what filters of a project can refer to, with the rules of its flags. */
export const loadFilterContext = async (metadata: Metadata, projectId: number, now: number): Promise<FilterContext> => {
  const { groupTypes, propertyMatchingVersion } = await readFlagSettings(metadata, projectId)
  const cohorts = (await loadCohorts(metadata, projectId)).filter(({ definition }) => !definition.deleted)
  const project = await findProjectById(metadata, projectId)
  if (project === undefined) throw new Error(`The project ${projectId} does not exist.`)
  return {
    projectId,
    groupTypes,
    cohorts: Object.fromEntries(cohorts.map(({ id, definition }) => [id, definition.filters.properties])),
    rules: { propertyMatchingVersion },
    now,
    calendar: project.calendar,
    testAccountFilters: project.testAccountFilters,
  }
}
