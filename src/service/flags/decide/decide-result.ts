import type { Evaluation } from '../../../evaluate/evaluation.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'

/** The evaluated flags of one request, before they are serialised for a protocol version. */
export interface DecideResult {
  /** All requested flags, including those whose evaluation was inconclusive. */
  readonly results: readonly { readonly definition: FlagDefinition; readonly evaluation: Evaluation }[]
  /** True when the flag quota is used up: no flag was evaluated. */
  readonly isPaused: boolean
  readonly minimalFlagCalledEvents: boolean
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly evaluatedAt: number
}

/** The fields that every response has, in both generations of the protocol. */
export interface CommonFields {
  readonly errorsWhileComputingFlags: boolean
  readonly quotaLimited?: readonly string[]
  readonly minimalFlagCalledEvents?: boolean
  readonly requestId: string
  readonly evaluatedAt: number
}

export const toCommonFields = (result: DecideResult): CommonFields => ({
  errorsWhileComputingFlags: result.results.some(({ evaluation }) => evaluation.value === undefined),
  ...(result.isPaused && { quotaLimited: ['feature_flags'] }),
  ...(result.minimalFlagCalledEvents && { minimalFlagCalledEvents: true }),
  requestId: result.requestId,
  evaluatedAt: result.evaluatedAt,
})
