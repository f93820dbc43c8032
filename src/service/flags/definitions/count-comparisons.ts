import { PARSE_COMPARISONS } from '../../../evaluate/operators/semver.ts'
import type { CohortDefinition, PropertyFilter } from '../../../wire/definition.ts'
import type { DefinitionRef, LiveDefinitions } from './check-references.ts'
import { isCohortGroup, isFilter } from './references.ts'

/** So many characters of a pattern count as a comparison: a search goes through them for each character of the value. */
const PATTERN_CHARACTERS = 8

/** How often a condition on a property compares it. A list of `exact` is one comparison, however long: it is looked up. */
const countOfFilter = ({ operator, value }: PropertyFilter): number => {
  const name = operator ?? 'exact'
  if (name.startsWith('semver_')) return PARSE_COMPARISONS
  if (name.endsWith('regex')) {
    const pattern = typeof value === 'string' ? value : JSON.stringify(value ?? null)
    return Math.max(1, Math.ceil(pattern.length / PATTERN_CHARACTERS))
  }
  return name.endsWith('icontains_multi') && Array.isArray(value) ? value.length : 1
}

/**
 * Creates a function that counts the comparisons that the evaluation of a flag or cohort may need: its conditions times their values, with
 * those of a cohort each time it is named. Flags that it depends on are evaluated once for a request, so they count where they are defined. The
 * engine counts the same (`Findings.comparisons`) except for patterns, but it must compile everything for it.
 */
export const createComparisonCounter = ({
  flags,
  cohorts,
}: Pick<LiveDefinitions, 'flags' | 'cohorts'>): ((ref: DefinitionRef) => number) => {
  const counts = new Map<string, number>()
  const countCohort = (id: string): number => {
    const known = counts.get(id)
    if (known !== undefined) return known
    // A cohort that contains itself is refused elsewhere.
    counts.set(id, 0)
    const cohort = cohorts.get(id)
    const count = cohort === undefined ? 0 : countEntry(cohort.filters.properties)
    counts.set(id, count)
    return count
  }
  const countEntry = (entry: CohortDefinition | PropertyFilter): number => {
    if (isCohortGroup(entry)) return entry.values.reduce((sum, each) => sum + countEntry(each), 0)
    if (!isFilter(entry)) return 0
    return entry.type === 'cohort' ? countCohort(String(Number(entry.value))) : countOfFilter(entry)
  }
  return ({ kind, name }) => {
    if (kind === 'cohort') return countCohort(name)
    const flag = flags.get(name)
    const groups = flag?.filters.groups ?? []
    return groups.reduce(
      (sum, { properties }) => (properties ?? []).reduce((part, filter) => part + countEntry(filter), sum),
      0,
    )
  }
}
