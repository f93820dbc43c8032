import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../../../src/wire/definition.ts'

/** Reads an own property; returns undefined for inherited ones. */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Finds a cohort. Returns undefined for a static cohort, which definitions do not contain. */
export const getCohort = (definitions: FlagDefinitions, id: unknown): CohortDefinition | undefined =>
  typeof id === 'string' || typeof id === 'number' ? getOwn(definitions.cohorts ?? {}, String(id)) : undefined

/** Whether a flag depends on a missing flag or on a cycle. Such a flag is off in the service. */
export const hasMissingDependency = (definitions: FlagDefinitions, flag: FlagDefinition): boolean => {
  const { flags } = definitions
  const collectDependencies = (node: unknown): string[] => {
    if (typeof node !== 'object' || node === null) return []
    const { type, key, value } = node as Record<string, unknown>
    if (type === 'cohort') return collectDependencies(getCohort(definitions, value))
    return type === 'flag' ? [String(key)] : Object.values(node).flatMap(collectDependencies)
  }
  const visited = new Set<string>()
  const isCyclic = (key: string, path: readonly string[]): boolean => {
    if (path.includes(key)) return true
    if (visited.has(key)) return false
    visited.add(key)
    const activeFlag = flags.find((flag) => flag.key === key && flag.active)
    return collectDependencies(activeFlag?.filters.groups).some((dependencyKey) =>
      isCyclic(dependencyKey, [...path, key]),
    )
  }
  return collectDependencies(flag.filters.groups).some(
    (key) => !flags.some((flag) => flag.key === key) || isCyclic(key, []),
  )
}

/** Whether the `dependency_chain` of a filter is empty (the mark of a cycle) or names a missing flag. */
export const isChainBroken = ({ flags }: FlagDefinitions, { dependency_chain: chain }: PropertyFilter): boolean =>
  !chain?.length || chain.some((key) => !flags.some((flag) => flag.key === key))
