import { keepEqual } from '../lib/keep-equal.ts'
import type { FlagDetail } from '../wire/decide.ts'
import { getFlagPayload, getFlagValue } from './flag-detail.ts'
import type { FlagVerbs } from './flag-verbs.ts'
import type { ResolvedFlag } from './local-flags.ts'

/** The verbs that return values and payloads. */
export type ReadVerbs = Pick<
  FlagVerbs,
  | 'getFeatureFlag'
  | 'isFeatureEnabled'
  | 'getFeatureFlagPayload'
  | 'getFeatureFlagResult'
  | 'getFeatureFlags'
  | 'getFeatureFlagsAndPayloads'
>

/**
 * @param getFlags Returns the current flags; undefined while none is known.
 * @param report Called for each read that callers want to report.
 */
export const createReadVerbs = (
  getFlags: () => Readonly<Record<string, ResolvedFlag>> | undefined,
  report: (name: string, flag: ResolvedFlag | undefined) => void,
): ReadVerbs => {
  const mapFlags = <T>(readFlag: (flag: FlagDetail) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      Object.entries(getFlags() ?? {}).flatMap(([name, flag]) => {
        const value = readFlag(flag)
        return value === undefined ? [] : [[name, value]]
      }),
    )

  const verbs: ReadVerbs = {
    getFeatureFlag(name, options) {
      const flag = getFlags()?.[name]
      if (options?.send !== false) report(name, flag)
      return getFlagValue(flag)
    },
    isFeatureEnabled(name, options) {
      const value = verbs.getFeatureFlag(name, options)
      return value === undefined ? (options?.defaultValue as never) : !!value
    },
    getFeatureFlagPayload: (name) => getFlagPayload(getFlags()?.[name]),
    getFeatureFlagResult(name, options) {
      const value = verbs.getFeatureFlag(name, options)
      if (value === undefined) return undefined
      return {
        key: name,
        enabled: !!value,
        variant: typeof value === 'string' ? value : undefined,
        payload: verbs.getFeatureFlagPayload(name),
      }
    },
    getFeatureFlags: () => mapFlags(getFlagValue),
    getFeatureFlagsAndPayloads: () => ({ flags: mapFlags(getFlagValue), payloads: mapFlags(getFlagPayload) }),
  }
  return keepEqual(verbs)
}
