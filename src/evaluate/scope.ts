import type { JsonObject } from '../wire/json.ts'
import type { CompiledFilter, CompiledFlag } from './compiled-flag.ts'
import { createInconclusive } from './inconclusive.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import type { MatchingRules, Operator } from './operators/operator.ts'

/** What the flags of one set share while they are compiled. Their filters use it when they are evaluated, too. */
export interface SharedScope {
  readonly rules: MatchingRules
  /** Group type index, as a string, to group type; not validated. */
  readonly groupTypes: JsonObject
  /** Cohort id to definition; not validated. */
  readonly cohorts: JsonObject
  readonly flagKeys: ReadonlySet<string>
  /** Compiled cohorts, or the errors of compiling them, by group type and id. */
  readonly compiledCohorts: Map<string, CompiledCohort | Error>
  /** The flags to evaluate for a flag's value; undefined for a flag without an order. Call it only after all flags are compiled. */
  readonly getEvaluationOrder: (key: string) => EvaluationOrder | undefined
}

/** The flags to evaluate for one flag's value. */
export interface EvaluationOrder {
  /** Dependencies first, the flag itself last. */
  readonly flags: readonly CompiledFlag[]
  /** False when a dependency is missing or has no order: only the service has a value for such a flag. */
  readonly hasAllDependencies: boolean
}

/** A compiled cohort: a filter that tests membership, and what it needs. */
export interface CompiledCohort {
  readonly filter: CompiledFilter
  readonly findings: Findings
  /** Number of conditions, including those of the cohorts it names. */
  readonly conditionCount: number
  /** Number of nested levels, including its own. */
  readonly depth: number
}

/** What compilation collects about a flag or a cohort. */
export interface Findings {
  /** Keys of the properties that are read, of the person or of the group. */
  readonly keys: Set<string>
  /** Flags whose value is needed: key to the path of the first filter on it. */
  readonly dependencies: Map<string, string>
  /** Parts that a local evaluator cannot evaluate for anyone: path and reason. The service can evaluate some of them. */
  readonly localProblems: Set<string>
  /** Mistakes in the definition: parts that no evaluator supports, or that can never match. Path and reason. */
  readonly problems: Set<string>
  /** Operators that search for a pattern; added by `addPattern`. */
  readonly patterns: Set<Operator>
  /** Comparisons that an evaluation makes at most, including those of cohorts each time they are named. */
  comparisons: number
  /** Total program size of these patterns, in cells. */
  programSize: number
}

/** Where a filter is compiled. */
export interface FilterScope {
  readonly sharedScope: SharedScope
  /** The type of the group whose properties are read; undefined for persons. */
  readonly groupType: string | undefined
  readonly findings: Findings
  /** Nesting depth in cohorts; 0 for the filters of a condition group. */
  readonly depth: number
}

export const createFindings = (): Findings => ({
  keys: new Set(),
  dependencies: new Map(),
  localProblems: new Set(),
  problems: new Set(),
  patterns: new Set(),
  comparisons: 0,
  programSize: 0,
})

/**
 * Maximum program size of all patterns of one flag, including those of its cohorts, in cells. It bounds the time of an evaluation:
 * - Each pattern searches one string. A cohort that is named twice searches twice, but a pattern caches its last result.
 * - A search takes at most one step per cell and character (see `compilePattern`).
 *
 * With 4,096 characters at 4 ns a step, the worst possible flag takes 164 ms. 100 patterns of 45 characters that cache their
 * steps take 2 ms on strings of that length. Each dependency of a flag has a limit of its own.
 */
const MAX_PROGRAM_SIZE = 10_000

/** Adds an operator that searches for a pattern, once. Throws `MalformedDefinitionError` above `MAX_PROGRAM_SIZE`. */
export const addPattern = (target: Findings, operator: Operator, path: string): void => {
  if (operator.programSize === undefined || target.patterns.has(operator)) return
  target.patterns.add(operator)
  target.programSize += operator.programSize
  if (target.programSize > MAX_PROGRAM_SIZE)
    throw new MalformedDefinitionError(path, `has patterns of more than ${MAX_PROGRAM_SIZE} cells`)
}

/** Adds all findings of `source` to `target`. Throws `MalformedDefinitionError` above `MAX_PROGRAM_SIZE`. */
export const mergeFindings = (target: Findings, source: Findings, path: string): void => {
  target.comparisons += source.comparisons
  for (const key of source.keys) target.keys.add(key)
  for (const [key, firstPath] of source.dependencies)
    if (!target.dependencies.has(key)) target.dependencies.set(key, firstPath)
  for (const problem of source.localProblems) target.localProblems.add(problem)
  for (const problem of source.problems) target.problems.add(problem)
  for (const operator of source.patterns) addPattern(target, operator, path)
}

/** Creates the replacement of a filter that no evaluator supports: its result is always inconclusive. */
export const createUnsupportedFilter = (problem: string, { findings }: FilterScope): CompiledFilter => {
  findings.localProblems.add(problem)
  findings.problems.add(problem)
  const result = createInconclusive('unsupported_definition', problem)
  return () => result
}
