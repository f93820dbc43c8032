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
  /**
   * Flag key to the flags to evaluate for its value, leafmost first, itself last. Filled in when all flags are compiled; a
   * flag that is missing, or depends on itself, has no entry.
   */
  readonly chains: Map<string, readonly CompiledFlag[]>
}

export interface CompiledCohort {
  readonly filter: Filter
  readonly findings: Findings
  /** How many conditions it comes to. */
  readonly size: number
  /** How deep they are nested. */
  readonly depth: number
}

/** What compiling comes upon. */
export interface Findings {
  /** Properties that are looked at, of the person or group in question. */
  readonly keys: Set<string>
  /** Flags whose value is asked for. */
  readonly dependencies: Set<string>
  /** Parts that have the right shape, but cannot be run here, or match nobody: place and why. */
  readonly problems: Set<string>
}

/** Where a filter stands. */
export interface Site {
  readonly scope: Scope
  /** The type of the group that is looked at; undefined for persons. */
  readonly groupType: string | undefined
  readonly findings: Findings
}

export const noFindings = (): Findings => ({ keys: new Set(), dependencies: new Set(), problems: new Set() })

export const addFindings = (to: Findings, from: Findings): void => {
  for (const key of from.keys) to.keys.add(key)
  for (const key of from.dependencies) to.dependencies.add(key)
  for (const problem of from.problems) to.problems.add(problem)
}

/** The filter that stands for one that cannot be run here: it never knows. */
export const unsupported = (problem: string, { findings }: Site): Filter => {
  findings.problems.add(problem)
  const unknown = inconclusive('unsupported_definition', problem)
  return () => unknown
}
