import type { FlagValue } from '../wire/decide.ts'
import type { FlagSnapshot } from './flag-store.ts'
import type { FlagsBootstrap } from './flags-options.ts'

/** Stored flags with the bootstrapped ones over them. A flag bootstrapped as off is hidden, whatever was stored. */
export const applyBootstrap = (stored: FlagSnapshot, bootstrap: FlagsBootstrap): FlagSnapshot => {
  const flags: Record<string, FlagValue> = { ...stored.flags }
  const payloads: Record<string, unknown> = { ...stored.payloads }
  const given = bootstrap.featureFlags ?? {}
  const givenPayloads = bootstrap.featureFlagPayloads ?? {}
  for (const key of Object.keys({ ...givenPayloads, ...given })) {
    const value = given[key] ?? true
    delete flags[key]
    delete payloads[key]
    if (value) {
      flags[key] = value
      payloads[key] = givenPayloads[key]
    }
  }
  return { ...stored, flags, payloads }
}
