import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../../../src/wire/definition.ts'

/** Reads an own property; returns undefined for inherited ones. */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Finds a cohort. Returns undefined for a static cohort, which definitions do not contain. */
export const getCohort = (definitions: FlagDefinitions, id: unknown): CohortDefinition | undefined =>
  typeof id === 'string' || typeof id === 'number' ? getOwn(definitions.cohorts ?? {}, String(id)) : undefined

/** Lists the flags that a part of a definition names, also in cohorts. */
const collectDependencies = (definitions: FlagDefinitions, node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return []
  const { type, key, value } = node as Record<string, unknown>
  if (type === 'cohort') return collectDependencies(definitions, getCohort(definitions, value))
  if (type === 'flag') return [String(key)]
  return Object.values(node).flatMap((child) => collectDependencies(definitions, child))
}

/** Whether a flag depends on a missing flag or on a cycle. Such a flag is off in the service. */
export const hasMissingDependency = (definitions: FlagDefinitions, flag: FlagDefinition): boolean => {
  const { flags } = definitions
  const visited = new Set<string>()
  const isCyclic = (key: string, path: readonly string[]): boolean => {
    if (path.includes(key)) return true
    if (visited.has(key)) return false
    visited.add(key)
    const activeFlag = flags.find((flag) => flag.key === key && flag.active)
    return collectDependencies(definitions, activeFlag?.filters.groups).some((dependencyKey) =>
      isCyclic(dependencyKey, [...path, key]),
    )
  }
  return collectDependencies(definitions, flag.filters.groups).some(
    (key) => !flags.some((flag) => flag.key === key) || isCyclic(key, []),
  )
}

/** The `dependency_chain` of a filter on a flag, worked out where it is missing. Empty for a cycle. */
export const getChain = (definitions: FlagDefinitions, filter: PropertyFilter): readonly string[] =>
  filter.dependency_chain ?? createChain(definitions, filter.key) ?? []

/** Lists the keys of all dependencies first and `key` last; returns undefined for a cycle. */
const createChain = (
  definitions: FlagDefinitions,
  key: string,
  path: readonly string[] = [],
): readonly string[] | undefined => {
  if (path.includes(key)) return undefined
  const chain: string[] = []
  const flag = definitions.flags.find((flag) => flag.key === key)
  // An inactive flag has no dependencies.
  for (const dependency of flag?.active ? collectDependencies(definitions, flag.filters.groups) : []) {
    const dependencyChain = createChain(definitions, dependency, [...path, key])
    if (!dependencyChain) return undefined
    for (const chainKey of dependencyChain) if (!chain.includes(chainKey)) chain.push(chainKey)
  }
  return [...chain, key]
}

/** Whether the `dependency_chain` of a filter is empty (the mark of a cycle) or names a missing flag. */
export const isChainBroken = (definitions: FlagDefinitions, filter: PropertyFilter): boolean => {
  const chain = getChain(definitions, filter)
  return chain.length === 0 || chain.some((key) => !definitions.flags.some((flag) => flag.key === key))
}
