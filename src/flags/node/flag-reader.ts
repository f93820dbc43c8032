import type { Id } from '../../wire/id-to-string.ts'
import type { GroupKeys } from '../../wire/to-group-keys.ts'
import type { FlagKey, FlagPayloadOf, FlagValueOf, FlagValues } from '../../wire/typed-flags.ts'
import type { FlagResult } from '../flag-verbs.ts'
import type { EvaluatedFlags } from './evaluated-flags.ts'

/** Facts about the user whose flags are read. */
export interface FlagOptions {
  /** Group type to group key. A missing key leaves the group out. */
  readonly groups?: GroupKeys | undefined
  /** Person properties; each one overrides the stored property of the same name. */
  readonly personProperties?: object | undefined
  /** Group type to group properties; they override stored ones in the same way. */
  readonly groupProperties?: Readonly<Record<string, object>> | undefined
  /** Never send a request. Default: the agent's `strictLocalEvaluation`, which is false by default. */
  readonly onlyEvaluateLocally?: boolean | undefined
  /** Ask the service not to derive a location from the IP address. Default: the agent's `disableGeoip`, which is false by default. */
  readonly disableGeoip?: boolean | undefined
}

/** Options of reading one flag. */
export interface ReadOptions extends FlagOptions {
  /** Report the read as `$feature_flag_called`: once per user, flag, value and groups. Default true. */
  readonly sendFeatureFlagEvents?: boolean | undefined
}

/** Options of reading several flags. */
export interface EvaluateOptions extends FlagOptions {
  /** Keys of the flags to read. Default: all flags. */
  readonly flagKeys?: readonly FlagKey[] | undefined
}

/**
 * Reads flags. Overrides win, then local evaluation if it is conclusive; otherwise each read sends a request. `distinctId` defaults to the
 * request context's. Without either, no request is sent, no value is known and nothing is reported. Each read evaluates again and gives new
 * objects. To read the same ones again, use a snapshot of `evaluateFlags`.
 */
export interface FlagReader {
  /** Returns a flag's value: true, false or the key of a variant; undefined if it is unknown. Reported. */
  getFeatureFlag<Key extends FlagKey>(
    key: Key,
    distinctId?: Id,
    options?: ReadOptions,
  ): Promise<FlagValueOf<Key> | undefined>
  /** Returns whether a flag is on; any variant counts as on. An unknown flag gives `defaultValue`, or undefined. Reported. */
  isFeatureEnabled(
    key: FlagKey,
    distinctId: Id | undefined,
    options: ReadOptions & { readonly defaultValue: boolean },
  ): Promise<boolean>
  isFeatureEnabled(
    key: FlagKey,
    distinctId?: Id,
    options?: ReadOptions & { readonly defaultValue?: boolean | undefined },
  ): Promise<boolean | undefined>
  /** Returns a flag's payload, parsed. Never reported. */
  getFeatureFlagPayload<Key extends FlagKey>(
    key: Key,
    distinctId?: Id,
    options?: FlagOptions,
  ): Promise<FlagPayloadOf<Key>>
  /** Returns a flag's value, variant and payload; undefined if it is unknown. Reported. */
  getFeatureFlagResult<Key extends FlagKey>(
    key: Key,
    distinctId?: Id,
    options?: ReadOptions,
  ): Promise<FlagResult<Key> | undefined>
  /** Returns the values of all flags. Never reported. */
  getFeatureFlags(distinctId?: Id, options?: EvaluateOptions): Promise<FlagValues>
  /** Returns the values and payloads of all flags. Never reported. */
  getFeatureFlagsAndPayloads(
    distinctId?: Id,
    options?: EvaluateOptions,
  ): Promise<{ flags: FlagValues; payloads: Record<string, unknown> }>
  /** Evaluates flags once, with at most one request, for many reads. */
  evaluateFlags(distinctId?: Id, options?: EvaluateOptions): Promise<EvaluatedFlags>
  /**
   * Overrides values for all users of this process, until the next call: for tests and emergencies. Reads of overridden values are not
   * reported. A payload without a value applies to a flag that has a value. Undefined or an empty object removes all overrides.
   */
  overrideFeatureFlags(flags?: Readonly<FlagValues>, payloads?: Readonly<Record<string, unknown>>): void
  /** Loads the definitions again, with a request that starts after this call. */
  reloadFeatureFlags(): Promise<void>
  /** Returns whether definitions for local evaluation are loaded. */
  isLocalEvaluationReady(): boolean
  /** Resolves with true as soon as definitions are loaded, or with false after `timeoutMs` (default 30,000). */
  waitForLocalEvaluationReady(timeoutMs?: number): Promise<boolean>
}
