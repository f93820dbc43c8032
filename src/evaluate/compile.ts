import type { FlagDefinitions } from '../wire/definition.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileFlag } from './compile-flag.ts'
import type { CompiledDraft } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { linkDependencies } from './link-dependencies.ts'
import { linkFlag } from './link-flag.ts'
import type { Chain, Findings, Scope } from './scope.ts'

/** Definitions ready to run. */
export interface CompiledSet {
  /** By key, in the order given. Deleted flags are left out; of two with one key the last holds. */
  readonly flags: ReadonlyMap<string, CompiledFlag>
  /** The person properties that active flags can look at: no others need be read. */
  readonly personKeys: ReadonlySet<string>
  /** The same for groups: group type to property keys. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** What each flag by itself looks at, by flag key and group type; undefined stands for persons. */
  readonly findings: ReadonlyMap<string, ReadonlyMap<string | undefined, Pick<Findings, 'keys'>>>
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

/**
 * `compile` in steps, one for each flag: for who has something else to do in between.
 *
 * @returns What `compile` does.
 */
export const compileSteps = function* (definitions: FlagDefinitions): Generator<undefined, CompiledSet> {
  const given = objectOf(definitions as unknown as Json)
  const version = given['property_matching_version']
  const byKey = definitionsByKey(given['flags'])
  const linked = new Map<string, Chain>()
  const scope: Scope = {
    rules: { propertyMatchingVersion: typeof version === 'number' ? version : undefined },
    groupTypes: objectOf(given['group_type_mapping']),
    cohorts: objectOf(given['cohorts']),
    flagKeys: new Set(byKey.keys()),
    compiledCohorts: new Map(),
    chainOf: (key) => linked.get(key),
  }
  const drafts = new Map<string, CompiledDraft>()
  for (const [key, definition] of byKey) {
    drafts.set(key, compileFlag(key, definition, scope))
    yield
  }

  const dependencies = new Map([...drafts].map(([key, draft]) => [key, [...draft.dependencies.keys()]]))
  const chains = linkDependencies(dependencies)
  const isLinked = (key: string): boolean => chains.has(key)
  const isComplete = (key: string): boolean => dependencies.get(key)!.every(isLinked)
  const whole = new Set([...chains].flatMap(([key, chain]) => (chain.every(isComplete) ? [key] : [])))
  const isWhole = (key: string): boolean => whole.has(key)
  const flags = new Map([...drafts].map(([key, draft]) => [key, linkFlag(draft, isLinked, isWhole)]))
  for (const [key, chain] of chains)
    linked.set(key, { flags: chain.map((link) => flags.get(link)!), isWhole: isWhole(key) })

  const personKeys = new Set<string>()
  const groupKeys = new Map<string, Set<string>>()
  const findings = new Map([...drafts].map(([key, draft]) => [key, draft.findings]))
  for (const found of findings.values())
    for (const [type, { keys }] of found) {
      const known = type === undefined ? personKeys : (groupKeys.get(type) ?? new Set())
      for (const key of keys) known.add(key)
      if (type !== undefined && known.size > 0) groupKeys.set(type, known)
    }
  return { flags, personKeys, groupKeys, findings, chains }
}

/**
 * Compiles the body of the definitions feed, once for all evaluations. Takes anything that came over the wire and never
 * throws: a malformed part makes the flags that it belongs to inconclusive, with a reason that names the place; what is no
 * flag at all (no object, no key) is passed over.
 */
export const compile = (definitions: FlagDefinitions): CompiledSet => {
  const steps = compileSteps(definitions)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
