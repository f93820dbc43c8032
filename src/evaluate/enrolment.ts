import type { CreateConclusive } from './conclusive-factory.ts'
import type { Conclusive, Evaluation, EvaluationContext, Inconclusive } from './evaluation.ts'
import { createInconclusive } from './inconclusive.ts'

/** A person's own choice for or against an early access feature. */
export interface CompiledEnrolment {
  /** The person property that stores the choice. */
  readonly propertyKey: string
  readonly onResult: Conclusive
  readonly offResult: Conclusive
  readonly unknownResult: Inconclusive
}

/** @param key The flag's key. */
export const compileEnrolment = (key: string, createConclusive: CreateConclusive): CompiledEnrolment => {
  const property = `$feature_enrollment/${key}`
  return {
    propertyKey: property,
    onResult: createConclusive(true, 'super_condition_value'),
    offResult: createConclusive(false, 'super_condition_value'),
    unknownResult: createInconclusive('missing_context', `the person property "${property}" was not given`),
  }
}

/**
 * Returns the result of the person's choice; undefined when the person made no choice. Any value but true or `"true"`, including
 * null, is a choice against the feature.
 */
export const evaluateEnrolment = (
  { propertyKey, onResult, offResult, unknownResult }: CompiledEnrolment,
  { personProperties, complete }: EvaluationContext,
): Evaluation | undefined => {
  const choice = personProperties[propertyKey]
  if (choice === undefined) return complete ? undefined : unknownResult
  return choice === true || (typeof choice === 'string' && choice.length === 4 && choice.toLowerCase() === 'true')
    ? onResult
    : offResult
}
