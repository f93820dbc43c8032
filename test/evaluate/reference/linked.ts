import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../../../src/wire/definition.ts'

/** Names that every object inherits are not there. */
export const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Undefined for a static cohort, which is in no feed. */
export const cohortOf = (definitions: FlagDefinitions, id: unknown): CohortDefinition | undefined =>
  typeof id === 'string' || typeof id === 'number' ? own(definitions.cohorts ?? {}, String(id)) : undefined

/** Whether a flag asks for one that is missing, or that waits for itself: off in the service. */
export const isBroken = (definitions: FlagDefinitions, flag: FlagDefinition): boolean => {
  const { flags } = definitions
  const askedBy = (part: unknown): string[] => {
    if (typeof part !== 'object' || part === null) return []
    const { type, key, value } = part as Record<string, unknown>
    if (type === 'cohort') return askedBy(cohortOf(definitions, value))
    return type === 'flag' ? [String(key)] : Object.values(part).flatMap(askedBy)
  }
  const cleared = new Set<string>()
  const endless = (key: string, above: readonly string[]): boolean => {
    if (above.includes(key)) return true
    if (cleared.has(key)) return false
    cleared.add(key)
    const flag = flags.find((one) => one.key === key && one.active)
    return askedBy(flag?.filters.groups).some((next) => endless(next, [...above, key]))
  }
  return askedBy(flag.filters.groups).some((key) => !flags.some((one) => one.key === key) || endless(key, []))
}

/** Whether a filter on a flag has a chain that is empty, the mark of a circle, or that names a flag that is missing. */
export const isBrokenChain = ({ flags }: FlagDefinitions, { dependency_chain: chain }: PropertyFilter): boolean =>
  !chain?.length || chain.some((key) => !flags.some((flag) => flag.key === key))
