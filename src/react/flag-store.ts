import { createFlagDetails, getFlagResult, getFlagValue } from '../flags/flag-detail.ts'
import type { FlagResult, FlagsListener } from '../flags/flag-verbs.ts'
import type { FlagsBootstrap } from '../flags/flags-options.ts'
import type { FlagKey, FlagValueOf } from '../wire/typed-flags.ts'
import { keepUnchanged } from './keep-unchanged.ts'
import type { WaymarkClient } from './waymark-client.ts'

/** Reads that are not reported. React may render twice, or throw a render away, so a render must report nothing. */
export interface SilentReads {
  getValue<Key extends FlagKey>(key: Key): FlagValueOf<Key> | undefined
  /** Returns the same object until its content changes. */
  getResult: ReadResult
}

type ReadResult = <Key extends FlagKey>(key: Key) => FlagResult<Key> | undefined

/** The agent and the flags of the components below one provider. */
export interface FlagStore {
  /** Undefined while there is no agent: on a server, or before it is created. */
  readonly client: WaymarkClient | undefined
  /** The bootstrapped values: what a server renders, and what the page renders first, so that it finds the same. */
  readonly bootstrapped: SilentReads
  /**
   * The values that the agent has now. Until the service has responded on this page, or `reset()` has begun another person, a flag that the
   * agent does not know has its bootstrapped value.
   */
  readonly current: SilentReads
  /** Calls `listener` when `current` may have changed. Returns an unsubscribe function. The last one also unsubscribes from the agent. */
  subscribe(listener: () => void): () => void
  /** Tells the agent that a flag is used. It captures `$feature_flag_called`, once per value. */
  report(key: FlagKey): void
}

const SILENT = { send: false }

export const createFlagStore = (
  client: WaymarkClient | undefined,
  bootstrap: FlagsBootstrap | undefined,
): FlagStore => {
  const details = createFlagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
  const bootstrapped: SilentReads = {
    getValue: (key) => getFlagValue(details[key]),
    getResult: rememberResults(
      <Key extends FlagKey>(key: Key) => getFlagResult(key, details[key]) as FlagResult<Key> | undefined,
    ),
  }
  const listeners = new Set<() => void>()
  let unsubscribe: (() => void) | undefined
  let hasResponse = false
  /** The person whose values are bootstrapped. Empty until the agent of an app has read its storage. */
  let person: string | undefined
  const isOtherPerson = (): boolean => {
    const id = bootstrap && client?.getAnonymousId()
    return id !== (person ||= id)
  }

  // With the object of `waymark/compat` there is one more argument before the last one.
  const notify = (...args: unknown[]): void => {
    hasResponse ||= !(args.pop() as Parameters<FlagsListener>[1]).isStale
    for (const listener of listeners) listener()
  }

  /** @param first The bootstrapped value: it counts where the agent has no value, and has not replaced all flags either. */
  const orBootstrapped = <T>(value: T | undefined, first: T | undefined): T | undefined => {
    const isOther = isOtherPerson()
    if (value !== undefined) return value
    // Without subscriptions nothing has told the store of a response, so it asks.
    if (!listeners.size) client?.onFeatureFlags(notify)?.()
    return hasResponse || isOther ? undefined : first
  }

  // Remembers the person: a `reset()` may come before the first read.
  isOtherPerson()
  return {
    client,
    bootstrapped,
    current: {
      getValue: (key) => orBootstrapped(client?.getFeatureFlag(key, SILENT), bootstrapped.getValue(key)),
      // Begins with the bootstrapped objects: the first live value, if it is the same, causes no further render.
      getResult: rememberResults(
        <Key extends FlagKey>(key: Key) =>
          orBootstrapped(
            client?.getFeatureFlagResult(key, SILENT) as FlagResult<Key> | undefined,
            bootstrapped.getResult(key),
          ),
        bootstrapped.getResult,
      ),
    },
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) unsubscribe = client?.onFeatureFlags(notify)
      return () => {
        listeners.delete(listener)
        if (!listeners.size) unsubscribe?.()
      }
    },
    report: (key) => void client?.getFeatureFlag(key),
  }
}

/** Remembers the last result of each flag. @param getFirst Returns the result to compare the first one with. Default: none. */
const rememberResults = (read: ReadResult, getFirst: ReadResult = () => undefined): ReadResult => {
  const results = new Map<FlagKey, FlagResult | undefined>()
  return <Key extends FlagKey>(key: Key) => {
    const last = results.has(key) ? results.get(key) : getFirst(key)
    const result = keepUnchanged(last, read(key))
    results.set(key, result)
    return result as FlagResult<Key> | undefined
  }
}
