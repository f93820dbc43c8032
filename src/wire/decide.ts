import type { JsonObject } from './json.ts'

/** A flag's value: off, on, or the key of a variant. */
export type FlagValue = boolean | string

/** Whom a flag request is about: the same in both generations of the protocol. */
export interface FlagSubject {
  readonly distinct_id: string
  /** The id before `identify`, so that a flag with experience continuity keeps its value. */
  readonly $anon_distinct_id?: string | undefined
  readonly $device_id?: string | undefined
  /** Group type to group key. */
  readonly groups?: Readonly<Record<string, string>>
}

/** Body of `POST /decide?v=3` (key in `api_key`) and `POST /flags/?v=2` (key in `token`). */
export interface DecideRequest extends FlagSubject {
  readonly api_key?: string
  readonly token?: string
  /** Overrides the stored person properties for this evaluation. */
  readonly person_properties?: JsonObject
  /** Group type to properties; overrides the stored group properties for this evaluation. */
  readonly group_properties?: Readonly<Record<string, JsonObject | undefined>>
  /** Only these flags are wanted; clients of the second generation say `flag_keys`. */
  readonly flag_keys_to_evaluate?: readonly string[]
  readonly flag_keys?: readonly string[]
  /** True: no flags at all, only what else the answer holds. */
  readonly disable_flags?: boolean
  /** Flags that name contexts are wanted only when they name one of these. */
  readonly evaluation_contexts?: readonly string[]
  /** Flags for another runtime than this, `client` or `server`, are not wanted. */
  readonly evaluation_runtime?: string
  /** True: properties must not be guessed from the client's address. */
  readonly geoip_disable?: boolean
}

/** What the service tells every client beside the flags: inside the decide answer, or by `GET /array/<key>/config`. */
export interface RemoteConfig {
  readonly config?: { readonly enable_collect_everything: boolean }
  /** Body compressions the service reads: `gzip`, `lz64`. */
  readonly supportedCompression?: readonly string[] | undefined
  /** False: the project has no flags, so that asking for them is in vain. */
  readonly hasFeatureFlags?: boolean
  /** True: the project wants no autocapture. */
  readonly autocapture_opt_out?: boolean
}

/** Answer of `POST /decide?v=3`. */
export interface DecideAnswer extends RemoteConfig {
  readonly config: { readonly enable_collect_everything: boolean }
  readonly toolbarParams: JsonObject
  readonly isAuthenticated: boolean
  readonly supportedCompression: readonly string[]
  readonly featureFlags: Readonly<Record<string, FlagValue>>
  /** Flag key to JSON text. */
  readonly featureFlagPayloads: Readonly<Record<string, string>>
  /** True when some flags could not be computed: clients merge the given flags over the ones they know. */
  readonly errorsWhileComputingFlags: boolean
  /** Contains `feature_flags` when the quota is used up; flags and payloads are then empty and clients keep theirs. */
  readonly quotaLimited?: readonly string[]
  /** Identifies this evaluation in `$feature_flag_called`. */
  readonly requestId?: string
  /** When it was made, in milliseconds since 1970. */
  readonly evaluatedAt?: number
  /** See `FlagsAnswer`. */
  readonly minimalFlagCalledEvents?: boolean
}

/** One flag in an answer of `POST /flags/?v=2`. */
export interface FlagDetail {
  readonly key?: string
  readonly enabled: boolean
  readonly variant?: string | null | undefined
  /** The flag could not be computed. */
  readonly failed?: boolean
  readonly reason?: {
    readonly code?: string
    /** The condition group that decided, from 0. */
    readonly condition_index?: number | null
    /** The reason in words. */
    readonly description?: string | null
  } | null
  readonly metadata?: {
    readonly id?: number
    readonly version?: number
    readonly description?: string | null
    /** JSON text. */
    readonly payload?: unknown
    readonly has_experiment?: boolean
  } | null
}

/** Answer of `POST /flags/?v=2`; a service may give the old shape there, too. */
export interface FlagsAnswer extends RemoteConfig {
  readonly flags?: Readonly<Record<string, FlagDetail>>
  readonly featureFlags?: Readonly<Record<string, FlagValue>>
  readonly featureFlagPayloads?: Readonly<Record<string, unknown>>
  readonly errorsWhileComputingFlags?: boolean
  readonly quotaLimited?: readonly string[]
  readonly requestId?: string
  /** When the flags were evaluated, in milliseconds since 1970. */
  readonly evaluatedAt?: number
  /** `$feature_flag_called` of flags without an experiment may go out with few properties. */
  readonly minimalFlagCalledEvents?: boolean
  readonly minimal_flag_called_events?: boolean
}
