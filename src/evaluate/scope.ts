import type { JsonObject } from '../wire/json.ts'
import type { CompiledFlag, Filter } from './compiled-flag.ts'
import { inconclusive } from './inconclusive.ts'
import { Malformed } from './malformed.ts'
import type { MatchingRules, Operator } from './operators/operator.ts'

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
  /** Operators that search for a pattern; added by `addPattern`. */
  readonly patterns: Set<Operator>
  /** How large these patterns are together. */
  cells: number
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
  patterns: new Set(),
  cells: 0,
})

/**
 * Most cells of all patterns of one flag, its cohorts included. It bounds the time of an evaluation: each pattern is searched for
 * in one text (a cohort that is named twice asks twice, but a search remembers its last text), and a search takes at most a
 * step for each cell and character (see `compilePattern`). With 4,096 characters at 4 ns that is 164 ms for the worst flag
 * that can be written; 100 patterns of 45 characters that remember their steps take 2 ms in texts as long. The flags that a flag
 * depends on have this bound each.
 */
const MAX_CELLS = 10_000

/** Throws `Malformed`. */
export const addPattern = (to: Findings, operator: Operator, place: string): void => {
  if (operator.cells === undefined || to.patterns.has(operator)) return
  to.patterns.add(operator)
  to.cells += operator.cells
  if (to.cells > MAX_CELLS) throw new Malformed(place, `comes to patterns of more than ${MAX_CELLS} cells`)
}

/** Throws `Malformed`. */
export const addFindings = (to: Findings, from: Findings, place: string): void => {
  for (const key of from.keys) to.keys.add(key)
  for (const [key, first] of from.dependencies) if (!to.dependencies.has(key)) to.dependencies.set(key, first)
  for (const flaw of from.flaws) to.flaws.add(flaw)
  for (const problem of from.problems) to.problems.add(problem)
  for (const operator of from.patterns) addPattern(to, operator, place)
}

/** The filter that stands for one that nobody can run: it never knows. */
export const unsupported = (problem: string, { findings }: Site): Filter => {
  findings.flaws.add(problem)
  findings.problems.add(problem)
  const unknown = inconclusive('unsupported_definition', problem)
  return () => unknown
}
