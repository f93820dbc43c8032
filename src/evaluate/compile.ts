import type { FlagDefinitions } from '../wire/definition.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { type CompiledDraft, compileFlag } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { linkDependencies } from './link-dependencies.ts'
import { isRecord } from './malformed.ts'
import type { Scope } from './scope.ts'

/** Definitions ready to run. */
export interface CompiledSet {
  /** By key, in the order given. Deleted flags are left out; of two with one key the last holds. */
  readonly flags: ReadonlyMap<string, CompiledFlag>
  /** The person properties that active flags can look at: no others need be read. */
  readonly personKeys: ReadonlySet<string>
  /** The same for groups: group type to property keys. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * Flag key to the keys of all flags that its value takes, leafmost first, itself last: the protocol's `dependency_chain`. No
   * entry for a flag that is on a circle, or behind one.
   */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

const objectOf = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

/** What is a flag at all, by its key; of two with one key the last. */
const definitionsByKey = (flags: Json | undefined): Map<string, JsonObject> => {
  const found = new Map<string, JsonObject>()
  for (const given of Array.isArray(flags) ? (flags as readonly Json[]) : []) {
    const definition = objectOf(given)
    const { key, deleted } = definition
    if (typeof key === 'string' && deleted !== true) found.set(key, definition)
  }
  return found
}

const dependenciesOf = ({ findings }: CompiledDraft): Set<string> =>
  new Set([...findings.values()].flatMap(({ dependencies }) => Array.from(dependencies)))

/**
 * Compiles the body of the definitions feed, once for all evaluations. Takes anything that came over the wire and never
 * throws: a malformed part makes the flags that it belongs to inconclusive, with a reason that names the place; what is no
 * flag at all (no object, no key) is passed over.
 */
export const compile = (definitions: FlagDefinitions): CompiledSet => {
  const given = objectOf(definitions as unknown as Json)
  const version = given['property_matching_version']
  const byKey = definitionsByKey(given['flags'])
  const scope: Scope = {
    rules: { propertyMatchingVersion: typeof version === 'number' ? version : undefined },
    groupTypes: objectOf(given['group_type_mapping']),
    cohorts: objectOf(given['cohorts']),
    flagKeys: new Set(byKey.keys()),
    compiledCohorts: new Map(),
    chains: new Map(),
  }
  const drafts = new Map<string, CompiledDraft>()
  for (const [key, definition] of byKey) drafts.set(key, compileFlag(key, definition, scope))

  const dependencies = new Map([...drafts].map(([key, draft]) => [key, dependenciesOf(draft)]))
  const chains = linkDependencies(dependencies)
  const flags = new Map<string, CompiledFlag>()
  for (const [key, { flag, missingDependency }] of drafts) {
    const isMissing = [...dependencies.get(key)!].some((need) => !chains.has(need))
    flags.set(key, { ...flag, settled: isMissing ? missingDependency : flag.settled })
  }
  for (const [key, chain] of chains)
    scope.chains.set(
      key,
      chain.map((link) => flags.get(link)!),
    )

  const personKeys = new Set<string>()
  const groupKeys = new Map<string, Set<string>>()
  for (const { findings } of drafts.values())
    for (const [type, { keys }] of findings) {
      const known = type === undefined ? personKeys : (groupKeys.get(type) ?? new Set())
      for (const key of keys) known.add(key)
      if (type !== undefined && known.size > 0) groupKeys.set(type, known)
    }
  return { flags, personKeys, groupKeys, chains }
}
