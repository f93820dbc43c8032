import type { FlagDefinitions } from '../wire/definition.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileFlag } from './compile-flag.ts'
import type { UnlinkedFlag } from './compile-flag.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { linkFlag } from './link-flag.ts'
import { orderDependencies } from './order-dependencies.ts'
import type { EvaluationOrder, Findings, SharedScope } from './scope.ts'

/** Compiled definitions, ready to evaluate. */
export interface CompiledSet {
  /** By key, in the order of the definitions. Deleted flags are left out; of flags with the same key, the last one is used. */
  readonly flags: ReadonlyMap<string, CompiledFlag>
  /** The person properties that active flags can read. Callers need not load other properties. */
  readonly personKeys: ReadonlySet<string>
  /** The group properties that active flags can read: group type to property keys. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** What each flag itself reads, and how often it compares: flag key to group type (undefined for persons) to findings. */
  readonly findings: ReadonlyMap<string, ReadonlyMap<string | undefined, Pick<Findings, 'keys' | 'comparisons'>>>
  /**
   * Flag key to the keys of all flags to evaluate for it, dependencies first, the flag itself last: the protocol's
   * `dependency_chain`. No entry for a flag in a cycle, or one that depends on a cycle.
   */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

const toObject = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

/** Flag definitions by key. Entries without a key are ignored; of entries with the same key, the last one is used. */
const indexByKey = (flags: Json | undefined): Map<string, JsonObject> => {
  const definitionsByKey = new Map<string, JsonObject>()
  for (const flag of Array.isArray(flags) ? (flags as readonly Json[]) : []) {
    const definition = toObject(flag)
    const { key, deleted } = definition
    if (typeof key === 'string' && deleted !== true) definitionsByKey.set(key, definition)
  }
  return definitionsByKey
}

/**
 * `compile` as a generator that yields after each flag, so that callers can yield to the event loop in between.
 *
 * @returns The result of `compile`.
 */
export const compileSteps = function* (definitions: FlagDefinitions): Generator<undefined, CompiledSet> {
  const input = toObject(definitions as unknown as Json)
  const version = input['property_matching_version']
  const definitionsByKey = indexByKey(input['flags'])
  const orders = new Map<string, EvaluationOrder>()
  const shared: SharedScope = {
    rules: { propertyMatchingVersion: typeof version === 'number' ? version : undefined },
    groupTypes: toObject(input['group_type_mapping']),
    cohorts: toObject(input['cohorts']),
    flagKeys: new Set(definitionsByKey.keys()),
    compiledCohorts: new Map(),
    getEvaluationOrder: (key) => orders.get(key),
  }
  const unlinkedFlags = new Map<string, UnlinkedFlag>()
  for (const [key, definition] of definitionsByKey) {
    unlinkedFlags.set(key, compileFlag(key, definition, shared))
    yield
  }

  const dependencies = new Map([...unlinkedFlags].map(([key, unlinked]) => [key, [...unlinked.dependencies.keys()]]))
  const chains = orderDependencies(dependencies)
  const isOrdered = (key: string): boolean => chains.has(key)
  const hasDirectDependencies = (key: string): boolean => dependencies.get(key)!.every(isOrdered)
  const keysWithAllDependencies = new Set(
    [...chains].flatMap(([key, chain]) => (chain.every(hasDirectDependencies) ? [key] : [])),
  )
  const hasAllDependencies = (key: string): boolean => keysWithAllDependencies.has(key)
  const flags = new Map(
    [...unlinkedFlags].map(([key, unlinked]) => [key, linkFlag(unlinked, isOrdered, hasAllDependencies)]),
  )
  for (const [key, chain] of chains)
    orders.set(key, {
      flags: chain.map((chainKey) => flags.get(chainKey)!),
      hasAllDependencies: hasAllDependencies(key),
    })

  const personKeys = new Set<string>()
  const groupKeys = new Map<string, Set<string>>()
  const findings = new Map([...unlinkedFlags].map(([key, unlinked]) => [key, unlinked.findings]))
  for (const flagFindings of findings.values())
    for (const [type, { keys }] of flagFindings) {
      const allKeys = type === undefined ? personKeys : (groupKeys.get(type) ?? new Set())
      for (const key of keys) allKeys.add(key)
      if (type !== undefined && allKeys.size > 0) groupKeys.set(type, allKeys)
    }
  return { flags, personKeys, groupKeys, findings, chains }
}

/**
 * Compiles the body of the definitions feed, once for all evaluations. Accepts any JSON and never throws. A malformed part
 * makes the flags that use it inconclusive, with a reason that names the path. An entry is ignored if it is not an object or has no key.
 */
export const compile = (definitions: FlagDefinitions): CompiledSet => {
  const steps = compileSteps(definitions)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
