import type { FlagValue } from '../../wire/decide.ts'
import type { FlagResult } from '../flag-verbs.ts'
import type { EvaluatedFlags } from './evaluated-flags.ts'

/** What is known of the user whose flags are asked for. */
export interface FlagOptions {
  /** Group type to group key. */
  readonly groups?: Readonly<Record<string, string | number>> | undefined
  /** Win over what the service has stored, property by property. */
  readonly personProperties?: object | undefined
  /** Group type to properties; the same. */
  readonly groupProperties?: Readonly<Record<string, object>> | undefined
  /** Never ask the service. Default: as the agent's `strictLocalEvaluation`, false unless told. */
  readonly onlyEvaluateLocally?: boolean | undefined
  /** The service shall guess nothing from an address. Default: as the agent's `disableGeoip`, false unless told. */
  readonly disableGeoip?: boolean | undefined
}

/** How one flag is read. */
export interface ReadOptions extends FlagOptions {
  /** Report the read as `$feature_flag_called`, once for each user, flag, value and groups. Default true. */
  readonly sendFeatureFlagEvents?: boolean | undefined
}

/** Which flags `evaluateFlags` is about. */
export interface EvaluateOptions extends FlagOptions {
  /** Default: all. */
  readonly flagKeys?: readonly string[] | undefined
}

/**
 * Reads of flags. Overrides win; then local definitions, where there are any and they suffice; else the service is asked, each time anew. Without a
 * `distinctId` it is the request context's; where there is none either, nothing is asked, known or reported.
 */
export interface FlagReader {
  /** A flag's value: true, false, or the key of a variant; undefined when unknown. Reported. */
  getFeatureFlag(key: string, distinctId?: string, options?: ReadOptions): Promise<FlagValue | undefined>
  /** Whether it is on; a variant is. An unknown flag gives `defaultValue`, or undefined. Reported. */
  isFeatureEnabled(
    key: string,
    distinctId: string | undefined,
    options: ReadOptions & { readonly defaultValue: boolean },
  ): Promise<boolean>
  isFeatureEnabled(
    key: string,
    distinctId?: string,
    options?: ReadOptions & { readonly defaultValue?: boolean | undefined },
  ): Promise<boolean | undefined>
  /** Its payload, parsed. Never reported. */
  getFeatureFlagPayload(key: string, distinctId?: string, options?: FlagOptions): Promise<unknown>
  /** Everything about it; undefined when it is unknown. Reported. */
  getFeatureFlagResult(key: string, distinctId?: string, options?: ReadOptions): Promise<FlagResult | undefined>
  /** All values. Never reported. */
  getFeatureFlags(distinctId?: string, options?: EvaluateOptions): Promise<Record<string, FlagValue>>
  /** All values and payloads. Never reported. */
  getFeatureFlagsAndPayloads(
    distinctId?: string,
    options?: EvaluateOptions,
  ): Promise<{ flags: Record<string, FlagValue>; payloads: Record<string, unknown> }>
  /** Evaluates once, with one request at most, for many reads. */
  evaluateFlags(distinctId?: string, options?: EvaluateOptions): Promise<EvaluatedFlags>
  /**
   * Values for this process alone, for every user, until they are replaced: tests, and switches of an emergency. Reads of them are not reported. A
   * payload alone counts for a flag that has a value. Undefined or an empty object ends them.
   */
  overrideFeatureFlags(flags?: Readonly<Record<string, FlagValue>>, payloads?: Readonly<Record<string, unknown>>): void
  /** Loads the definitions anew, with a request that begins after this call. */
  reloadFeatureFlags(): Promise<void>
  /** Whether there are definitions to evaluate by. */
  isLocalEvaluationReady(): boolean
  /** Resolves with that, as soon as it is true, or after `timeoutMs` (default 30,000). */
  waitForLocalEvaluationReady(timeoutMs?: number): Promise<boolean>
}
