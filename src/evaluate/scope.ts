import type { JsonObject } from '../wire/json.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import type { Filter } from './filter.ts'
import { inconclusive } from './inconclusive.ts'
import type { MatchingRules } from './operators/operator.ts'

/** What the flags of one set share while they are compiled, and their filters afterwards. */
export interface Scope {
  readonly rules: MatchingRules
  /** Group type index, as text, to group type; as it came. */
  readonly groupTypes: JsonObject
  /** Cohort id to definition; as it came. */
  readonly cohorts: JsonObject
  readonly flagKeys: ReadonlySet<string>
  /** Cohorts that are compiled, or why they cannot be; by group type and id. */
  readonly compiledCohorts: Map<string, CompiledCohort | Error>
  /** What to evaluate for a flag's value; undefined for one that has no chain. To be called when all flags are compiled. */
  readonly chainOf: (key: string) => Chain | undefined
}

/** The flags that one flag's value takes. */
export interface Chain {
  /** Leafmost first, itself last. */
  readonly flags: readonly CompiledFlag[]
  /** False when one of them asks for a flag that is missing, or has no chain: only the service has a value for that one. */
  readonly isWhole: boolean
}

export interface CompiledCohort {
  readonly filter: Filter
  readonly findings: Findings
  /** How many conditions it comes to. */
  readonly size: number
  /** How many levels they are nested in, their own included. */
  readonly depth: number
}

/** What compiling comes upon. */
export interface Findings {
  /** Properties that are looked at, of the person or group in question. */
  readonly keys: Set<string>
  /** Flags whose value is asked for: key to the first place that does. */
  readonly dependencies: Map<string, string>
  /** Parts that a local evaluator cannot run, whomever it is for: place and why. Some of them the service can. */
  readonly flaws: Set<string>
  /** Parts that are mistakes of the definition, since nobody can run them, or they match nobody: place and why. */
  readonly problems: Set<string>
}

/** Where a filter stands. */
export interface Site {
  readonly scope: Scope
  /** The type of the group that is looked at; undefined for persons. */
  readonly groupType: string | undefined
  readonly findings: Findings
  /** How deep in cohorts; 0 for the filters of a condition group. */
  readonly depth: number
}

export const noFindings = (): Findings => ({
  keys: new Set(),
  dependencies: new Map(),
  flaws: new Set(),
  problems: new Set(),
})

export const addFindings = (to: Findings, from: Findings): void => {
  for (const key of from.keys) to.keys.add(key)
  for (const [key, place] of from.dependencies) if (!to.dependencies.has(key)) to.dependencies.set(key, place)
  for (const flaw of from.flaws) to.flaws.add(flaw)
  for (const problem of from.problems) to.problems.add(problem)
}

/** The filter that stands for one that nobody can run: it never knows. */
export const unsupported = (problem: string, { findings }: Site): Filter => {
  findings.flaws.add(problem)
  findings.problems.add(problem)
  const unknown = inconclusive('unsupported_definition', problem)
  return () => unknown
}
