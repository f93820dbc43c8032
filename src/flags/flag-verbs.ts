import type { FlagKey, FlagPayloadOf, FlagValueOf, FlagValues } from '../wire/typed-flags.ts'

/** A flag's value, variant and payload. */
export interface FlagResult<Key extends FlagKey = FlagKey> {
  readonly key: Key
  readonly enabled: boolean
  readonly variant?: Extract<FlagValueOf<Key>, string> | undefined
  /** The parsed payload; undefined when there is none. */
  readonly payload?: FlagPayloadOf<Key>
}

interface ReadOptions {
  /** Report the read as `$feature_flag_called`; default true. */
  readonly send?: boolean | undefined
}

/**
 * @param flags The current values; after a failed load, the values from before it.
 * @param context `errorsLoading`: the last load returned no flags or not all of them, or no load is possible (opted out, shut down).
 *   `isStale`: the service has not responded yet on this page; the values are stored or bootstrapped ones.
 */
export type FlagsListener = (
  flags: Readonly<FlagValues>,
  context: { readonly errorsLoading: boolean; readonly isStale: boolean },
) => void

/** The flag methods of a page. Reads are synchronous and return stored or bootstrapped values at once. */
export interface FlagVerbs {
  /** Returns a flag's value: true, false, or the key of a variant; undefined when unknown. The first read of each value is reported. */
  getFeatureFlag<Key extends FlagKey>(key: Key, options?: ReadOptions): FlagValueOf<Key> | undefined
  /** Returns whether a flag is on, with or without a variant; `defaultValue` (or undefined) for an unknown flag. Reported as above. */
  isFeatureEnabled<T extends boolean | undefined = undefined>(
    key: FlagKey,
    options?: ReadOptions & { readonly defaultValue?: T },
  ): boolean | T
  /** Returns a flag's payload, parsed; undefined when there is none. The same object until it changes: do not modify it. Not reported. */
  getFeatureFlagPayload<Key extends FlagKey>(key: Key): FlagPayloadOf<Key>
  /** Returns a flag's value, variant and payload; undefined when it is unknown. The same object until they change. Reported like `getFeatureFlag`. */
  getFeatureFlagResult<Key extends FlagKey>(key: Key, options?: ReadOptions): FlagResult<Key> | undefined
  /** Returns all values. The same object until one changes: do not modify it. Not reported. */
  getFeatureFlags(): Readonly<FlagValues>
  /** Returns all values and all parsed payloads. The same object until one changes: do not modify it. Not reported. */
  getFeatureFlagsAndPayloads(): {
    readonly flags: Readonly<FlagValues>
    readonly payloads: Readonly<Record<string, unknown>>
  }
  /**
   * Calls `listener` after each load of flags, also a failed one, and at once when flags are known. Also at once for another person, after
   * `reset()` for example, with the flags that are known of that person: often none. Returns an unsubscribe function.
   *
   * A listener is not called while it runs. One that loads the flags is called again by that load: after a few loads in a row the next ones
   * wait 1 s, then twice as long each time, up to 5 minutes. Another user, or a call of `reloadFeatureFlags` that no listener has caused, ends
   * the wait: one that comes 250 ms after the listeners or later.
   */
  onFeatureFlags(listener: FlagsListener): () => void
  /**
   * Loads the flags from the service now. Calls in one turn share a request; calls during a request share the next one.
   *
   * Resolves, and calls `listener` once, when the response for the current user is applied or has failed. A failure keeps the
   * known flags. While opted out or shut down, no request is sent. Never rejects.
   */
  reloadFeatureFlags(listener?: FlagsListener): Promise<void>
  /**
   * Sets person properties for the evaluation of flags only. They are merged into later requests, also on later pages. A property with the
   * value undefined is removed. Ignored when `personProfiles` is `never`.
   *
   * @param reload Load the flags again, unless the last load had equal properties; default true.
   */
  setPersonPropertiesForFlags(properties: object, reload?: boolean): void
  /** Removes the person properties that were set for flags. */
  resetPersonPropertiesForFlags(reload?: boolean): void
  /** Sets group properties for the evaluation of flags only. @param properties Group type to properties; merged per type. */
  setGroupPropertiesForFlags(properties: Readonly<Record<string, object>>, reload?: boolean): void
  /** Removes the group properties that were set for flags. @param groupType Default: all types. */
  resetGroupPropertiesForFlags(groupType?: string, reload?: boolean): void
}
