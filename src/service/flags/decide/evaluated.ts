import type { Evaluation } from '../../../evaluate/evaluation.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'

/** What came out for one subject, before it takes the form of an answer. */
export interface Evaluated {
  /** The flags that were asked for, inconclusive ones too. */
  readonly results: readonly { readonly definition: FlagDefinition; readonly evaluation: Evaluation }[]
  /** The quota is used up: nothing was computed. */
  readonly isPaused: boolean
  readonly minimalFlagCalledEvents: boolean
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly evaluatedAt: number
}

/** What every answer says of an evaluation as a whole, whatever its generation. */
export interface EvaluationFacts {
  readonly errorsWhileComputingFlags: boolean
  readonly quotaLimited?: readonly string[]
  readonly minimalFlagCalledEvents?: boolean
  readonly requestId: string
  readonly evaluatedAt: number
}

export const evaluationFacts = (evaluated: Evaluated): EvaluationFacts => ({
  errorsWhileComputingFlags: evaluated.results.some(({ evaluation }) => evaluation.value === undefined),
  ...(evaluated.isPaused && { quotaLimited: ['feature_flags'] }),
  ...(evaluated.minimalFlagCalledEvents && { minimalFlagCalledEvents: true }),
  requestId: evaluated.requestId,
  evaluatedAt: evaluated.evaluatedAt,
})
