import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../../../src/wire/definition.ts'

/** Inherited properties give undefined. */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Undefined for a static cohort, which definitions do not contain. */
export const getCohort = (definitions: FlagDefinitions, id: unknown): CohortDefinition | undefined =>
  typeof id === 'string' || typeof id === 'number' ? getOwn(definitions.cohorts ?? {}, String(id)) : undefined

/** Whether a flag depends on a missing flag or on a cycle: it is then off in the service. */
export const hasMissingDependency = (definitions: FlagDefinitions, flag: FlagDefinition): boolean => {
  const { flags } = definitions
  const collectDependencies = (part: unknown): string[] => {
    if (typeof part !== 'object' || part === null) return []
    const { type, key, value } = part as Record<string, unknown>
    if (type === 'cohort') return collectDependencies(getCohort(definitions, value))
    return type === 'flag' ? [String(key)] : Object.values(part).flatMap(collectDependencies)
  }
  const visited = new Set<string>()
  const isCyclic = (key: string, path: readonly string[]): boolean => {
    if (path.includes(key)) return true
    if (visited.has(key)) return false
    visited.add(key)
    const flag = flags.find((flag) => flag.key === key && flag.active)
    return collectDependencies(flag?.filters.groups).some((next) => isCyclic(next, [...path, key]))
  }
  return collectDependencies(flag.filters.groups).some(
    (key) => !flags.some((flag) => flag.key === key) || isCyclic(key, []),
  )
}

/** Whether the `dependency_chain` of a filter is empty (the mark of a cycle) or names a missing flag. */
export const isChainBroken = ({ flags }: FlagDefinitions, { dependency_chain: chain }: PropertyFilter): boolean =>
  !chain?.length || chain.some((key) => !flags.some((flag) => flag.key === key))
