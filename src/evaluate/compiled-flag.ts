import type { FlagDefinition } from '../wire/definition.ts'
import type { JsonObject } from '../wire/json.ts'
import type { CompiledEnrolment } from './enrolment.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import type { CompiledHoldout } from './holdout.ts'

/** A definition with everything resolved that does not depend on whom it is evaluated for, answers included. */
export interface CompiledFlag {
  readonly key: string
  /** As it came; of a malformed one only the key is sure. */
  readonly definition: FlagDefinition
  /** What the key stands as in the hash. */
  readonly prefix: string
  /** The answer for everybody, where all properties are known; undefined when there is none. */
  readonly settled: Evaluation | undefined
  /** The same for a local evaluator. */
  readonly settledLocally: Evaluation | undefined
  readonly continuity: boolean
  readonly byDevice: boolean
  /** The answer when the id of the device, or of the person, that the flag is hashed by was not given. */
  readonly idUnknown: Inconclusive
  /** Whether it depends on other flags. */
  readonly asksFlags: boolean
  /** The group type that the flag is for; undefined for persons. */
  readonly groupType: string | undefined
  readonly enrolment: CompiledEnrolment | undefined
  readonly holdout: CompiledHoldout | undefined
  readonly earlyExit: boolean
  readonly conditions: readonly CompiledCondition[]
  /** Upper bounds of the variants, adding up; in order. */
  readonly bounds: readonly number[]
  /** Index into `matches` that holds for everybody, whatever the hash; undefined where variants share people out. */
  readonly whole: number | undefined
  readonly noMatch: Conclusive
  readonly noGroup: Conclusive
  /** Mistakes of the definition, each with its place: what nobody can run, or what matches nobody. Empty when there are none. */
  readonly problems: readonly string[]
}

export interface CompiledCondition {
  /** Set when it is for another group type than the flag; null when that type is not known. */
  readonly groupType: string | null | undefined
  /** Undefined holds for everybody. */
  readonly filter: Filter | undefined
  /** Largest bucket that is in; undefined means everybody, without a hash. */
  readonly rollout: number | undefined
  /** Answers of the variants, then the one without a variant. */
  readonly matches: readonly Conclusive[]
  /** Index into `matches` that holds whatever the hash. */
  readonly fixed: number | undefined
  readonly excluded: Conclusive
  readonly noGroup: Conclusive
}

/** Whether a condition holds, or why that cannot be known here. */
export type Outcome = boolean | Inconclusive

/** One evaluation of one flag. */
export interface Run extends EvaluationContext {
  /** What flags that others depend on came out as: each is run once. Only there when the flag depends on others. */
  readonly evaluated?: Map<CompiledFlag, Evaluation>
}

/** One compiled condition: about these properties, of the person or group that a condition group looks at. */
export type Filter = (properties: JsonObject, run: Run) => Outcome
