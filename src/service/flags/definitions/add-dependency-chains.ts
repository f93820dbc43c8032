import type { CohortDefinition, FlagDefinitions, PropertyFilter } from '../../../wire/definition.ts'
import { isCohortGroup, isFilter, findCohortReferences, findFlagReferences } from './references.ts'
import type { Reference } from './references.ts'

const hasFlagReference = (references: readonly Reference[]): boolean => references.some(({ kind }) => kind === 'flag')

/**
 * Adds `dependency_chain` to each filter on a flag: the flags to evaluate before the filter, dependencies first, the filter's
 * own key last. It is empty for flags in a dependency cycle. An existing chain is replaced. Definitions without such a
 * filter are returned unchanged.
 *
 * @param chains Flag key to dependency chain (`CompiledSet`).
 */
export const addDependencyChains = (
  definitions: FlagDefinitions,
  chains: ReadonlyMap<string, readonly string[]>,
): FlagDefinitions => {
  const addToFilter = (filter: PropertyFilter): PropertyFilter =>
    filter.type === 'flag' ? { ...filter, dependency_chain: chains.get(filter.key) ?? [] } : filter
  const addToGroup = (group: CohortDefinition): CohortDefinition =>
    isCohortGroup(group)
      ? { ...group, values: group.values.map((each) => (isFilter(each) ? addToFilter(each) : addToGroup(each))) }
      : group
  return {
    ...definitions,
    flags: definitions.flags.map((flag) => {
      if (!hasFlagReference(findFlagReferences(flag))) return flag
      const groups = flag.filters.groups.map((group) =>
        group.properties ? { ...group, properties: group.properties.map(addToFilter) } : group,
      )
      return { ...flag, filters: { ...flag.filters, groups } }
    }),
    cohorts: Object.fromEntries(
      Object.entries(definitions.cohorts ?? {}).map(([id, cohort]) => [
        id,
        hasFlagReference(findCohortReferences(cohort)) ? addToGroup(cohort) : cohort,
      ]),
    ),
  }
}
