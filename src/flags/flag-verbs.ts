import type { FlagValue } from '../wire/decide.ts'

export interface FlagResult {
  readonly key: string
  readonly enabled: boolean
  readonly variant?: string | undefined
  /** Parsed; undefined when there is none. */
  readonly payload?: unknown
}

interface ReadOptions {
  /** Report the read as `$feature_flag_called`; default true. */
  readonly send?: boolean | undefined
}

/**
 * @param context `errorsLoading`: the last load gave no (or not every) flag, or none is made (opted out, shut down); what is given are the
 *   values known before.
 *   `isStale`: the service has not answered yet on this page; these are stored or bootstrapped values.
 */
export type FlagsListener = (
  flags: Readonly<Record<string, FlagValue>>,
  context: { readonly errorsLoading: boolean; readonly isStale: boolean },
) => void

/** What a page may do with flags. Reads are synchronous: stored and bootstrapped values count at once. */
export interface FlagVerbs {
  /** A flag's value: true, false, or the key of a variant; undefined when unknown. The first read of a value is reported. */
  getFeatureFlag(key: string, options?: ReadOptions): FlagValue | undefined
  /** Whether a flag is on; a variant is. An unknown flag gives `defaultValue`, or undefined. Reported as above. */
  isFeatureEnabled<T extends boolean | undefined = undefined>(
    key: string,
    options?: ReadOptions & { readonly defaultValue?: T },
  ): boolean | T
  /** A flag's payload, parsed; undefined when there is none. Never reported. */
  getFeatureFlagPayload(key: string): unknown
  /** Everything about a flag; undefined when it is unknown. Reported as `getFeatureFlag`. */
  getFeatureFlagResult(key: string, options?: ReadOptions): FlagResult | undefined
  /** All values, in a copy. Never reported. */
  getFeatureFlags(): Record<string, FlagValue>
  /** All values, and all payloads parsed, in copies. Never reported. */
  getFeatureFlagsAndPayloads(): { flags: Record<string, FlagValue>; payloads: Record<string, unknown> }
  /** Calls back after each load of flags, failed ones too, and at once when flags are known. The answer ends that. */
  onFeatureFlags(listener: FlagsListener): () => void
  /**
   * Asks the service for the flags now; calls in one turn share a request, calls during a request share the one that follows.
   * Resolves, and calls back once, when the answer about the user of that moment is applied, or there is none: a failure keeps the known
   * flags, and opted out or shut down nothing is asked. Never rejects.
   */
  reloadFeatureFlags(listener?: FlagsListener): Promise<void>
  /**
   * Person properties for the evaluation of flags alone, merged into what later requests carry, on later pages too. Refused when
   * `personProfiles` is `never`.
   *
   * @param reload Ask the service again; default true.
   */
  setPersonPropertiesForFlags(properties: object, reload?: boolean): void
  /** Forgets them. */
  resetPersonPropertiesForFlags(reload?: boolean): void
  /** The same for groups. @param properties Group type to properties; merged per type. */
  setGroupPropertiesForFlags(properties: Readonly<Record<string, object>>, reload?: boolean): void
  /** Forgets them. @param groupType Default: all types. */
  resetGroupPropertiesForFlags(groupType?: string, reload?: boolean): void
}
