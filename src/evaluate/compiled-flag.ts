import type { FlagDefinition } from '../wire/definition.ts'
import type { JsonObject } from '../wire/json.ts'
import type { CompiledEnrolment } from './enrolment.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import type { CompiledHoldout } from './holdout.ts'

/** A definition with everything precomputed that does not depend on the person or group, including all possible results. */
export interface CompiledFlag {
  readonly key: string
  /** The definition as received; in a malformed one only the key is certain. */
  readonly definition: FlagDefinition
  /** The flag's part of the hash input. */
  readonly prefix: string
  /** The constant result where all properties are known; undefined when the result depends on the context. */
  readonly settled: Evaluation | undefined
  /** The same for a local evaluator. */
  readonly settledLocally: Evaluation | undefined
  readonly continuity: boolean
  readonly byDevice: boolean
  /** The result when the id that the flag is hashed by (device or person) was not given. */
  readonly idUnknown: Inconclusive
  /** Whether it depends on other flags. */
  readonly asksFlags: boolean
  /** The group type that the flag is for; undefined for persons. */
  readonly groupType: string | undefined
  readonly enrolment: CompiledEnrolment | undefined
  readonly holdout: CompiledHoldout | undefined
  readonly earlyExit: boolean
  readonly conditions: readonly CompiledCondition[]
  /** Cumulative upper bounds of the variants' shares, in order. */
  readonly bounds: readonly number[]
  /** Index into `matches` that applies to everyone, whatever the hash; undefined when the hash decides. */
  readonly whole: number | undefined
  readonly noMatch: Conclusive
  readonly noGroup: Conclusive
  /** Mistakes in the definition, each with its path: parts that are not supported or can never match. Empty when there are none. */
  readonly problems: readonly string[]
}

export interface CompiledCondition {
  /** Set when it differs from the flag's group type; null when that type is unknown. */
  readonly groupType: string | null | undefined
  /** Undefined matches everyone. */
  readonly filter: CompiledFilter | undefined
  /** Highest position that is inside, 0 to 1; undefined means everyone, without a hash. */
  readonly rollout: number | undefined
  /** Results by variant index; the last one is for no variant. */
  readonly matches: readonly Conclusive[]
  /** Index into `matches` that applies whatever the hash. */
  readonly fixed: number | undefined
  readonly excluded: Conclusive
  readonly noGroup: Conclusive
}

/** Whether a filter matches, or why that is unknown. */
export type FilterResult = boolean | Inconclusive

/** The state of one evaluation of one flag. */
export interface EvaluationState extends EvaluationContext {
  /** Results of the flags it depends on, so that each is evaluated once. Undefined when the flag has no dependencies. */
  readonly evaluations?: Map<CompiledFlag, Evaluation>
}

/** Tests the properties of the person or group that a condition group is about. */
export type CompiledFilter = (properties: JsonObject, state: EvaluationState) => FilterResult
