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
  /** What the flag adds to the hash input: its key and a dot. */
  readonly prefix: string
  /** The constant result in the service, where all properties are known; undefined when the result depends on the context. */
  readonly settled: Evaluation | undefined
  /** The constant result in a local evaluator; undefined when the result depends on the context. */
  readonly settledLocally: Evaluation | undefined
  /** Experience continuity: the flag is hashed by the id that the person had first. */
  readonly continuity: boolean
  /** True when the flag is hashed by the device id, and not by the distinct id. */
  readonly byDevice: boolean
  /** The result when the id that the flag is hashed by (device or person) was not given. */
  readonly idUnknown: Inconclusive
  /** Whether it depends on other flags. */
  readonly asksFlags: boolean
  /** The group type that the flag is for; undefined for persons. */
  readonly groupType: string | undefined
  readonly enrolment: CompiledEnrolment | undefined
  readonly holdout: CompiledHoldout | undefined
  /** True when a condition whose rollout excludes the person ends the evaluation. */
  readonly earlyExit: boolean
  readonly conditions: readonly CompiledCondition[]
  /** Cumulative upper bounds of the variants' shares, in order. */
  readonly bounds: readonly number[]
  /** Index into `matchResults` that applies to everyone, whatever the hash; undefined when the hash decides. */
  readonly whole: number | undefined
  /** The result when no condition matches. */
  readonly noMatch: Conclusive
  /** The result when the group that the flag is for was not given. */
  readonly noGroup: Conclusive
  /** Mistakes in the definition, each with its path: parts that are not supported or can never match. Empty when there are none. */
  readonly problems: readonly string[]
}

/** A compiled condition group: filters, a rollout, and the result for each variant. */
export interface CompiledCondition {
  /** Set when it differs from the flag's group type; null when the definitions do not name it. */
  readonly groupType: string | null | undefined
  /** Undefined matches everyone. */
  readonly filter: CompiledFilter | undefined
  /** Units of the work budget that the filter takes. */
  readonly work: number
  /** Highest hash position inside the rollout, 0 to 1; undefined when everyone is inside, without a hash. */
  readonly rollout: number | undefined
  /** Results by variant index; the last one is for no variant. */
  readonly matchResults: readonly Conclusive[]
  /** Index into `matchResults` that applies to everyone, whatever the hash; undefined when the hash decides. */
  readonly fixedIndex: number | undefined
  /** The result when the rollout excludes the person. */
  readonly excludedResult: Conclusive
  /** The result when the group that the condition is about was not given. */
  readonly noGroupResult: Conclusive
}

/** Whether a filter matches, or why that is unknown. */
export type FilterResult = boolean | Inconclusive

/** The state of one evaluation of one flag. */
export interface EvaluationState extends EvaluationContext {
  /** Results of the flags that the evaluated flag depends on, so that each is evaluated once. Undefined for a flag without dependencies. */
  readonly dependencyResults?: Map<CompiledFlag, Evaluation>
}

/** Tests the properties of the person or group that a condition group is about. */
export type CompiledFilter = (properties: JsonObject, state: EvaluationState) => FilterResult
