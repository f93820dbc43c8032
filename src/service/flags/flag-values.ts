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
  const values: [string, FlagValue][] = []
  const payloads: [string, string][] = []
  for (const { definition, evaluation } of results) {
    if (evaluation.value === undefined) continue
    values.push([definition.key, evaluation.value])
    if (evaluation.payloadText !== undefined) payloads.push([definition.key, evaluation.payloadText])
  }
  // By definition of properties, not assignment: a flag's key may be any text.
  return { featureFlags: Object.fromEntries(values), featureFlagPayloads: Object.fromEntries(payloads) }
}
