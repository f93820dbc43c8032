import type { Json } from './json.ts'

/** One condition on a property of a person or group, on a cohort, or on another flag's value. */
export interface PropertyFilter {
  /** Name of the property; for a flag its key; for a cohort `id`. */
  readonly key: string
  /** `person` (default), `group`, `cohort` or `flag`. */
  readonly type?: string | null
  /** For a cohort its id; for a flag the value that it must have, where true also matches every variant. */
  readonly value?: Json
  /** Default `exact`; for a cohort `in`, for a flag `flag_evaluates_to`. */
  readonly operator?: string | null
  /** Inside a cohort: inverts the result. */
  readonly negation?: boolean | null
  /** For a flag: the keys to evaluate, dependencies first, the flag itself last. Empty for a cycle. May be missing. */
  readonly dependency_chain?: readonly string[] | null
  readonly group_type_index?: number | null
}

/** Conditions that must all match (AND), and the share of users that they apply to. */
export interface ConditionGroup {
  readonly properties?: readonly PropertyFilter[] | null
  /** Percent, 0 to 100, fractions allowed. Missing or null means 100. */
  readonly rollout_percentage?: number | null
  /** Gives this variant to every match, regardless of the hash. */
  readonly variant?: string | null
  /** Matches and hashes by this group instead of the flag's own setting. */
  readonly aggregation_group_type_index?: number | null
}

export interface Variant {
  readonly key: string
  /** Percent, fractions allowed. */
  readonly rollout_percentage: number
  readonly name?: string | null
}

/** Users who get `holdout-<id>` instead of the result of the conditions. Every flag with this holdout excludes the same users. */
export interface Holdout {
  readonly id: number | string | null
  /** Percent, fractions allowed. */
  readonly exclusion_percentage: number | null
}

/** A feature flag, as the service stores it and local evaluation reads it. */
export interface FlagDefinition {
  readonly id: number
  readonly key: string
  /** Description for people. */
  readonly name?: string
  readonly active: boolean
  readonly deleted?: boolean
  readonly version?: number
  readonly has_experiment?: boolean
  /** Hashes by the id before `identify`, which only the service knows. */
  readonly ensure_experience_continuity?: boolean | null
  /** `device_id` hashes by the device; anything else by the distinct id. */
  readonly bucketing_identifier?: string | null
  /** Where the flag is evaluated: `client`, `server`, `all` (default). */
  readonly evaluation_runtime?: string | null
  /** The contexts in which the flag is evaluated; empty means all contexts. */
  readonly evaluation_contexts?: readonly string[] | null
  /** Older name of `evaluation_contexts`. */
  readonly evaluation_tags?: readonly string[] | null
  readonly filters: {
    /** In this order; the first match decides. */
    readonly groups: readonly ConditionGroup[]
    readonly multivariate?: { readonly variants: readonly Variant[] } | null
    /** Variant key, or `true`, to a JSON string or value. */
    readonly payloads?: Readonly<Record<string, Json>> | null
    /** The flag applies to groups of this type, not to persons. */
    readonly aggregation_group_type_index?: number | null
    readonly holdout?: Holdout | null
    /** The same as `bucketing_identifier` of the flag, which some clients of the protocol ignore here. */
    readonly bucketing_identifier?: string | null
    /** Stops at the first group whose properties match, even if its rollout excludes the user. */
    readonly early_exit?: boolean | null
    /** The person property `$feature_enrollment/<key>` decides if it is set. */
    readonly feature_enrollment?: boolean | null
  }
}

/** A tree of filters; `property` is an old word for AND. The empty object is a cohort of all persons. */
export type CohortDefinition =
  | {
      readonly type: 'AND' | 'OR' | 'property'
      readonly values: readonly (CohortDefinition | PropertyFilter)[]
    }
  | Readonly<Record<string, never>>

/** Response of `GET /flags/definitions`: everything that local evaluation needs. */
export interface FlagDefinitions {
  readonly flags: readonly FlagDefinition[]
  /** Group type index, as a string, to group type. */
  readonly group_type_mapping?: Readonly<Record<string, string>> | null
  /** Cohort id to definition. Only cohorts that are decided by properties and flags. */
  readonly cohorts?: Readonly<Record<string, CohortDefinition>> | null
  /** 2: `exact` and `is_not` compare strings. Anything else: a boolean filter value compares truthiness. */
  readonly property_matching_version?: number | null
  /** True: clients may send `$feature_flag_called` with few properties for flags without an experiment. */
  readonly minimal_flag_called_events?: boolean
}
