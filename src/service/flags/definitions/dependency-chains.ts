import type { CohortDefinition, FlagDefinitions, PropertyFilter } from '../../../wire/definition.ts'
import { isCohortGroup, isFilter, referencesOfCohort, referencesOfFlag } from './references.ts'
import type { Reference } from './references.ts'

const looksAtFlag = (references: readonly Reference[]): boolean => references.some(({ kind }) => kind === 'flag')

/**
 * Says in every filter on a flag which flags must be evaluated before it, by its `dependency_chain`: leafmost first, the
 * filter's own key last; empty where the flags depend on each other in a circle. What a filter said before is not believed.
 * Definitions without such a filter are answered as they are.
 *
 * @param chains Flag key to its chain (`CompiledSet`).
 */
export const withDependencyChains = (
  definitions: FlagDefinitions,
  chains: ReadonlyMap<string, readonly string[]>,
): FlagDefinitions => {
  const linked = (filter: PropertyFilter): PropertyFilter =>
    filter.type === 'flag' ? { ...filter, dependency_chain: chains.get(filter.key) ?? [] } : filter
  const linkedGroup = (group: CohortDefinition): CohortDefinition =>
    isCohortGroup(group)
      ? { ...group, values: group.values.map((each) => (isFilter(each) ? linked(each) : linkedGroup(each))) }
      : group
  return {
    ...definitions,
    flags: definitions.flags.map((flag) => {
      if (!looksAtFlag(referencesOfFlag(flag))) return flag
      const groups = flag.filters.groups.map((group) =>
        group.properties ? { ...group, properties: group.properties.map(linked) } : group,
      )
      return { ...flag, filters: { ...flag.filters, groups } }
    }),
    cohorts: Object.fromEntries(
      Object.entries(definitions.cohorts ?? {}).map(([id, cohort]) => [
        id,
        looksAtFlag(referencesOfCohort(cohort)) ? linkedGroup(cohort) : cohort,
      ]),
    ),
  }
}
