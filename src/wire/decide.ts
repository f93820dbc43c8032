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
}

/** One flag in an answer of `POST /flags/?v=2`. */
export interface FlagDetail {
  readonly enabled: boolean
  readonly variant?: string | null | undefined
  /** The flag could not be computed. */
  readonly failed?: boolean
  readonly reason?: { readonly code?: string; readonly description?: string | null } | null
  readonly metadata?: {
    readonly id?: number
    readonly version?: number
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
  /** `$feature_flag_called` of flags without an experiment may go out with few properties. */
  readonly minimalFlagCalledEvents?: boolean
  readonly minimal_flag_called_events?: boolean
}
