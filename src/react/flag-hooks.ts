import { useEffect, useSyncExternalStore } from 'react'
import type { FlagResult } from '../flags/flag-verbs.ts'
import type { FlagKey, FlagPayloadOf, FlagValueOf } from '../wire/typed-flags.ts'
import type { FlagStore, SilentReads } from './flag-store.ts'
import { useFlagStore } from './provider.ts'

/**
 * Returns a flag's value: true, false, or the key of a variant; undefined while unknown. Renders again when this value changes, and only then.
 * Reported as `$feature_flag_called` once per value, after the component is mounted.
 *
 * @throws Without a `<WaymarkProvider>`.
 */
export const useFeatureFlag = <Key extends FlagKey>(key: Key): FlagValueOf<Key> | undefined => {
  const store = useFlagStore()
  useReport(store, key)
  return useRead(store, ({ getValue }) => getValue(key))
}

/**
 * Returns a flag's payload, parsed; undefined when there is none. The object stays the same until the payload changes. Not reported.
 *
 * @throws Without a `<WaymarkProvider>`.
 */
export const useFeatureFlagPayload = <Key extends FlagKey>(key: Key): FlagPayloadOf<Key> =>
  useRead(useFlagStore(), ({ getResult }) => getResult(key)?.payload)

/**
 * Returns a flag's value, variant and payload; undefined while it is unknown. The object stays the same until one of them changes. Reported
 * like `useFeatureFlag`.
 *
 * @throws Without a `<WaymarkProvider>`.
 */
export const useFeatureFlagResult = <Key extends FlagKey>(key: Key): FlagResult<Key> | undefined => {
  const store = useFlagStore()
  useReport(store, key)
  return useRead(store, ({ getResult }) => getResult(key))
}

const useRead = <T>({ subscribe, current, bootstrapped }: FlagStore, read: (reads: SilentReads) => T): T =>
  useSyncExternalStore(
    subscribe,
    () => read(current),
    () => read(bootstrapped),
  )

/** Reports a read in an effect, which runs only for renders that are shown. Also after each load, because then a value may become known. */
const useReport = ({ report, subscribe }: FlagStore, key: FlagKey): void =>
  useEffect(() => {
    const reportKey = (): void => report(key)
    reportKey()
    return subscribe(reportKey)
  }, [report, subscribe, key])
