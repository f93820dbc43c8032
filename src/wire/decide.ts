import type { JsonObject } from './json.ts'

/** A flag's value: off, on, or the key of a variant. */
export type FlagValue = boolean | string

/** The user and groups of a flag request, in both generations of the protocol. */
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
  /** Returns only these flags. Clients of the second generation send `flag_keys`. */
  readonly flag_keys_to_evaluate?: readonly string[]
  readonly flag_keys?: readonly string[]
  /** True: returns no flags, only the rest of the response. */
  readonly disable_flags?: boolean
  /** Leaves out flags that have contexts, but none of these. */
  readonly evaluation_contexts?: readonly string[]
  /** `client` or `server`: leaves out flags of the other runtime. */
  readonly evaluation_runtime?: string
  /** True: no properties are derived from the client's IP address. */
  readonly geoip_disable?: boolean
}

/** Settings for every client, in the decide response or from `GET /array/<key>/config`. */
export interface RemoteConfig {
  readonly config?: { readonly enable_collect_everything: boolean }
  /** Body compressions that the service accepts: `gzip`, `lz64`. */
  readonly supportedCompression?: readonly string[] | undefined
  /** False: the project has no flags, so that clients need not request them. */
  readonly hasFeatureFlags?: boolean
  /** True: the project has turned autocapture off. */
  readonly autocapture_opt_out?: boolean
}

/** Response of `POST /decide?v=3`. */
export interface DecideResponse extends RemoteConfig {
  readonly config: { readonly enable_collect_everything: boolean }
  readonly toolbarParams: JsonObject
  readonly isAuthenticated: boolean
  readonly supportedCompression: readonly string[]
  readonly featureFlags: Readonly<Record<string, FlagValue>>
  /** Flag key to JSON string. */
  readonly featureFlagPayloads: Readonly<Record<string, string>>
  /** True when some flags could not be computed: clients keep the flags that are missing here. */
  readonly errorsWhileComputingFlags: boolean
  /** Contains `feature_flags` when the quota is used up. Flags and payloads are then empty, and clients keep theirs. */
  readonly quotaLimited?: readonly string[]
  /** Identifies this evaluation in `$feature_flag_called`. */
  readonly requestId?: string
  /** When the flags were evaluated, in milliseconds since 1970. */
  readonly evaluatedAt?: number
  /** See `FlagsResponse`. */
  readonly minimalFlagCalledEvents?: boolean
}

/** One flag in a response of `POST /flags/?v=2`. */
export interface FlagDetail {
  readonly key?: string
  readonly enabled: boolean
  readonly variant?: string | null | undefined
  /** The flag could not be computed. */
  readonly failed?: boolean
  readonly reason?: {
    readonly code?: string
    /** Index, from 0, of the condition group that decided. */
    readonly condition_index?: number | null
    /** The reason in words. */
    readonly description?: string | null
  } | null
  readonly metadata?: {
    readonly id?: number
    readonly version?: number
    readonly description?: string | null
    /** A JSON string. */
    readonly payload?: unknown
    readonly has_experiment?: boolean
  } | null
}

/** Response of `POST /flags/?v=2`. Some services respond with the fields of the decide response instead. */
export interface FlagsResponse extends RemoteConfig {
  readonly flags?: Readonly<Record<string, FlagDetail>>
  readonly featureFlags?: Readonly<Record<string, FlagValue>>
  readonly featureFlagPayloads?: Readonly<Record<string, unknown>>
  readonly errorsWhileComputingFlags?: boolean
  readonly quotaLimited?: readonly string[]
  readonly requestId?: string
  /** When the flags were evaluated, in milliseconds since 1970. */
  readonly evaluatedAt?: number
  /** True: clients may send `$feature_flag_called` with few properties for flags without an experiment. */
  readonly minimalFlagCalledEvents?: boolean
  readonly minimal_flag_called_events?: boolean
}
