import type { CreateConclusive } from './conclusive-factory.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { createInconclusive } from './inconclusive.ts'

/** A person's own choice for or against an early access feature. */
export interface CompiledEnrolment {
  /** The person property that stores the choice. */
  readonly key: string
  readonly on: Conclusive
  readonly off: Conclusive
  readonly unknown: Inconclusive
}

/** @param key The flag's key. */
export const compileEnrolment = (key: string, createConclusive: CreateConclusive): CompiledEnrolment => {
  const property = `$feature_enrollment/${key}`
  return {
    key: property,
    on: createConclusive(true, 'super_condition_value'),
    off: createConclusive(false, 'super_condition_value'),
    unknown: createInconclusive('missing_context', `the person property "${property}" was not given`),
  }
}

/** Undefined when the person made no choice. Any value but true or `"true"`, including null, is a choice against the feature. */
export const evaluateEnrolment = (
  { key, on, off, unknown }: CompiledEnrolment,
  { personProperties, complete }: EvaluationContext,
): Evaluation | undefined => {
  const choice = personProperties[key]
  if (choice === undefined) return complete ? undefined : unknown
  return choice === true || (typeof choice === 'string' && choice.toLowerCase() === 'true') ? on : off
}
