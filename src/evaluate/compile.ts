import type { FlagDefinition, FlagDefinitions } from '../wire/definition.ts'
import { type CompiledFlag, compileFlag } from './compile-flag.ts'

/** Definitions ready to run. */
export interface CompiledSet {
  /** By key, in the order given. Deleted flags are left out; of two with one key the last holds. */
  readonly flags: ReadonlyMap<string, CompiledFlag>
  /** The person properties that active flags can look at: no others need be read. */
  readonly personKeys: ReadonlySet<string>
  /** The same for groups: group type to property keys. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
}

export const compile = (definitions: FlagDefinitions): CompiledSet => {
  const options = {
    groupTypes: definitions.group_type_mapping ?? {},
    propertyMatchingVersion: definitions.property_matching_version ?? undefined,
  }
  const personKeys = new Set<string>()
  const groupKeys = new Map<string, Set<string>>()
  const flags = new Map<string, CompiledFlag>()
  for (const definition of definitions.flags) {
    if (definition.deleted) continue
    const flag = compileFlag(definition, options)
    flags.set(flag.key, flag)
    if (flag.active) collect(definition, flag.groupType)
  }
  return { flags, personKeys, groupKeys }

  function collect({ filters }: FlagDefinition, groupType: string | undefined): void {
    for (const group of filters.groups)
      for (const { key } of group.properties ?? []) {
        if (groupType === undefined) personKeys.add(key)
        else groupKeys.set(groupType, (groupKeys.get(groupType) ?? new Set()).add(key))
      }
  }
}
