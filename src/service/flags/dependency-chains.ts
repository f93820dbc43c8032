import type { CohortDefinition, FlagDefinition, PropertyFilter } from '../../wire/definition.ts'
import { isCohortGroup, isFilter, type Reference, referencesOfCohort, referencesOfFlag } from './references.ts'

/** Flags, and cohorts by their id. */
export interface LinkedDefinitions {
  readonly flags: readonly FlagDefinition[]
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
}

type Node = Pick<Reference, 'kind' | 'name'>

/** Makes the function that tells in which order flags must be evaluated so that the one with a key can be: leafmost first, it last. */
const chains = ({ flags, cohorts }: LinkedDefinitions): ((key: string) => readonly string[]) => {
  const flagOf = new Map(flags.map((flag) => [flag.key, flag]))
  const next = ({ kind, name }: Node): readonly Reference[] => {
    if (kind === 'cohort') return Object.hasOwn(cohorts, name) ? referencesOfCohort(cohorts[name]!) : []
    const flag = flagOf.get(name)
    return flag ? referencesOfFlag(flag) : []
  }
  return (key) => {
    const chain: string[] = []
    /** False while a definition's own references are looked at: who meets it then has gone round. */
    const isDone = new Map<string, boolean>()
    const visit = (node: Node): boolean => {
      const name = `${node.kind} ${node.name}`
      const known = isDone.get(name)
      if (known !== undefined) return known
      isDone.set(name, false)
      if (!next(node).every(visit)) return false
      isDone.set(name, true)
      if (node.kind === 'flag') chain.push(node.name)
      return true
    }
    return visit({ kind: 'flag', name: key }) ? chain : []
  }
}

/**
 * Says in every filter on a flag which flags must be evaluated before it, by its `dependency_chain`: leafmost first, the
 * filter's own key last, through cohorts too; empty where the flags depend on each other in a circle. What a filter said
 * before is not believed. Definitions without such a filter are answered as they are.
 */
export const withDependencyChains = (definitions: LinkedDefinitions): LinkedDefinitions => {
  const chainOf = chains(definitions)
  const linked = (filter: PropertyFilter): PropertyFilter =>
    filter.type === 'flag' ? { ...filter, dependency_chain: chainOf(filter.key) } : filter
  const linkedGroup = (group: CohortDefinition): CohortDefinition =>
    isCohortGroup(group)
      ? { ...group, values: group.values.map((each) => (isFilter(each) ? linked(each) : linkedGroup(each))) }
      : group
  const looksAtFlag = (references: readonly Reference[]): boolean => references.some(({ kind }) => kind === 'flag')
  return {
    flags: definitions.flags.map((flag) => {
      if (!looksAtFlag(referencesOfFlag(flag))) return flag
      const groups = flag.filters.groups.map((group) =>
        group.properties ? { ...group, properties: group.properties.map(linked) } : group,
      )
      return { ...flag, filters: { ...flag.filters, groups } }
    }),
    cohorts: Object.fromEntries(
      Object.entries(definitions.cohorts).map(([id, cohort]) => [
        id,
        looksAtFlag(referencesOfCohort(cohort)) ? linkedGroup(cohort) : cohort,
      ]),
    ),
  }
}
