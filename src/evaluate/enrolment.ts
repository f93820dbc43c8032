import type { Conclude } from './conclude.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { inconclusive } from './inconclusive.ts'

/** The person's own choice, made for an early access feature. */
export interface CompiledEnrolment {
  /** The person property. */
  readonly key: string
  readonly on: Conclusive
  readonly off: Conclusive
  readonly unknown: Inconclusive
}

/** @param key Of the flag. */
export const compileEnrolment = (key: string, conclude: Conclude): CompiledEnrolment => {
  const property = `$feature_enrollment/${key}`
  return {
    key: property,
    on: conclude(true, 'super_condition_value'),
    off: conclude(false, 'super_condition_value'),
    unknown: inconclusive('missing_context', `the person property "${property}" was not given`),
  }
}

/** Undefined when the person has made no choice. Whatever is no yes, null too, is the choice against the feature. */
export const choiceOf = (
  { key, on, off, unknown }: CompiledEnrolment,
  { personProperties, complete }: EvaluationContext,
): Evaluation | undefined => {
  const choice = personProperties[key]
  if (choice === undefined) return complete ? undefined : unknown
  return choice === true || (typeof choice === 'string' && choice.toLowerCase() === 'true') ? on : off
}
