import { isOwn, ownOf } from '../../evaluate/own.ts'
import type { FlagDetail } from '../../wire/decide.ts'
import { flagDetails } from '../flag-detail.ts'
import type { KnownFlag } from '../local-flags.ts'
import type { FlagReader } from './flag-verbs.ts'

/** Values that this process was told to take for everybody's. */
export interface Overrides {
  readonly set: FlagReader['overrideFeatureFlags']
  /** The flag whose value is overridden, as it is to be read; undefined for any other. */
  flag(key: string): FlagDetail | undefined
  /** Keys of the flags whose value is overridden. */
  keys(): readonly string[]
  /** A flag with its payload as it is to be read. */
  paid<T extends KnownFlag | undefined>(key: string, flag: T): T
}

export const createOverrides = (): Overrides => {
  let flags: Readonly<Record<string, FlagDetail>> = {}
  let payloads: Readonly<Record<string, unknown>> = {}

  const overrides: Overrides = {
    set(givenFlags, givenPayloads) {
      const values = Object.entries({ ...givenFlags }).filter(([, value]) =>
        ['boolean', 'string'].includes(typeof value),
      )
      payloads = { ...givenPayloads }
      flags = flagDetails(Object.fromEntries(values), payloads)
    },
    flag: (key) => ownOf(flags, key),
    keys: () => Object.keys(flags),
    paid: (key, flag) =>
      flag && isOwn(payloads, key) ? { ...flag, metadata: { ...flag.metadata, payload: payloads[key] } } : flag,
  }
  return overrides
}
