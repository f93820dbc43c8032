import type { FlagValue } from '../../wire/decide.ts'
import type { Evaluated } from './evaluated.ts'

/** Flags in the form of the protocol's first generation. */
export interface FlagValues {
  readonly featureFlags: Readonly<Record<string, FlagValue>>
  /** Flag key to JSON text. */
  readonly featureFlagPayloads: Readonly<Record<string, string>>
}

/** Values and payloads of the flags that could be computed, off ones too. */
export const flagValues = ({ results }: Evaluated): FlagValues => {
  // Assigned, not made from entries, which takes several times as long. No flag can be called `__proto__` (parse-definition.ts).
  const featureFlags: Record<string, FlagValue> = {}
  const featureFlagPayloads: Record<string, string> = {}
  for (const { definition, evaluation } of results) {
    if (evaluation.value === undefined) continue
    featureFlags[definition.key] = evaluation.value
    if (evaluation.payloadText !== undefined) featureFlagPayloads[definition.key] = evaluation.payloadText
  }
  return { featureFlags, featureFlagPayloads }
}
