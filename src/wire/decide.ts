import type { JsonObject } from './json.ts'

/** A flag's value: off, on, or the key of a variant. */
export type FlagValue = boolean | string

/** Body of `POST /decide?v=3`. */
export interface DecideRequest {
  readonly api_key: string
  readonly distinct_id: string
  /** The id before `identify`, so that a flag with experience continuity keeps its value. */
  readonly $anon_distinct_id?: string
  readonly $device_id?: string
  /** Group type to group key. */
  readonly groups?: Readonly<Record<string, string>>
  /** Overrides the stored person properties for this evaluation. */
  readonly person_properties?: JsonObject
  /** Group type to properties; overrides the stored group properties for this evaluation. */
  readonly group_properties?: Readonly<Record<string, JsonObject>>
}

/** Answer of `POST /decide?v=3`. */
export interface DecideAnswer {
  readonly config: { readonly enable_collect_everything: boolean }
  readonly toolbarParams: JsonObject
  readonly isAuthenticated: boolean
  /** Body compressions the service reads: `gzip`, `lz64`. */
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
