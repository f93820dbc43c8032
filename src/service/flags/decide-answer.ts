import type { Conclusive } from '../../evaluate/evaluation.ts'
import type { DecideAnswer } from '../../wire/decide.ts'

/** What came out for one subject, before it takes the form of an answer. */
export interface Evaluated {
  /** The flags that could be computed, by key. */
  readonly flags: ReadonlyMap<string, Conclusive>
  /** Some could not. */
  readonly hasErrors: boolean
  /** The quota is used up: nothing was computed. */
  readonly isPaused: boolean
  readonly requestId: string
}

/** The answer of `/decide?v=3`. */
export const decideAnswer = ({ flags, hasErrors, isPaused, requestId }: Evaluated): DecideAnswer => {
  // Maps to objects by definition of properties, not assignment: a flag's key may be any text.
  const values = [...flags].map(([key, { value }]) => [key, value] as const)
  const payloads: [string, string][] = []
  for (const [key, { payloadText }] of flags) if (payloadText !== undefined) payloads.push([key, payloadText])
  return {
    config: { enable_collect_everything: true },
    toolbarParams: {},
    isAuthenticated: false,
    supportedCompression: ['gzip', 'lz64'],
    featureFlags: Object.fromEntries(values),
    featureFlagPayloads: Object.fromEntries(payloads),
    errorsWhileComputingFlags: hasErrors,
    ...(isPaused && { quotaLimited: ['feature_flags'] }),
    requestId,
  }
}
