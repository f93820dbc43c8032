import { hasOwn, getOwn } from '../../evaluate/own-property.ts'
import type { FlagDetail } from '../../wire/decide.ts'
import { createFlagDetails } from '../flag-detail.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import type { FlagReader } from './flag-reader.ts'

/** Flag values and payloads that this process uses for all users instead of evaluated ones. */
export interface Overrides {
  readonly set: FlagReader['overrideFeatureFlags']
  /** Returns the overriding flag; undefined if the value of this flag is not overridden. */
  flag(key: string): FlagDetail | undefined
  /** Returns the keys of all flags with an overridden value. */
  keys(): readonly string[]
  /** Returns the flag with its payload overridden; the flag itself if its payload is not overridden. */
  withPayload<T extends ResolvedFlag | undefined>(key: string, flag: T): T
}

export const createOverrides = (): Overrides => {
  let flags: Readonly<Record<string, FlagDetail>> = {}
  let payloads: Readonly<Record<string, unknown>> = {}

  const overrides: Overrides = {
    set(newFlags, newPayloads) {
      const values = Object.entries({ ...newFlags }).filter(([, value]) => ['boolean', 'string'].includes(typeof value))
      payloads = { ...newPayloads }
      flags = createFlagDetails(Object.fromEntries(values), payloads)
    },
    flag: (key) => getOwn(flags, key),
    keys: () => Object.keys(flags),
    withPayload: (key, flag) =>
      flag && hasOwn(payloads, key) ? { ...flag, metadata: { ...flag.metadata, payload: payloads[key] } } : flag,
  }
  return overrides
}
