import type { Json } from './json.ts'

/** One condition on a property of a person or group, on a cohort, or on another flag's value. */
export interface PropertyFilter {
  /** The property; for a flag its key; for a cohort `id`. */
  readonly key: string
  /** `person` (default), `group`, `cohort` or `flag`. */
  readonly type?: string | null
  /** For a cohort its id, for a flag the value it must have: true stands for any variant, too. */
  readonly value?: Json
  /** Default `exact`; for a cohort `in`, for a flag `flag_evaluates_to`. */
  readonly operator?: string | null
  /** Inside a cohort: turns the result round. */
  readonly negation?: boolean | null
  /** For a flag: what to evaluate before, leafmost first, the flag itself last. Empty for a circle. */
  readonly dependency_chain?: readonly string[] | null
  readonly group_type_index?: number | null
}

/** Conditions that hold together (AND), and the share of users they are for. */
export interface ConditionGroup {
  readonly properties?: readonly PropertyFilter[] | null
  /** Percent, fractional allowed, 0 to 100; absent or null means 100. */
  readonly rollout_percentage?: number | null
  /** Gives this variant to all who match, whatever their hash. */
  readonly variant?: string | null
  /** Looks at, and hashes by, this group instead of what the flag says. */
  readonly aggregation_group_type_index?: number | null
}

export interface Variant {
  readonly key: string
  /** Percent, fractional allowed. */
  readonly rollout_percentage: number
  readonly name?: string | null
}

/** People who get `holdout-<id>` instead of what the conditions say. The same people in every flag with this holdout. */
export interface Holdout {
  readonly id: number | string | null
  /** Percent, fractional allowed. */
  readonly exclusion_percentage: number | null
}

/** A feature flag as the service stores it and as local evaluation reads it. */
export interface FlagDefinition {
  readonly id: number
  readonly key: string
  /** What it is for, in people's words. */
  readonly name?: string
  readonly active: boolean
  readonly deleted?: boolean
  readonly version?: number
  readonly has_experiment?: boolean
  /** Hashes by the id before `identify`: only the service can. */
  readonly ensure_experience_continuity?: boolean | null
  /** `device_id` hashes by the device; anything else by the distinct id. */
  readonly bucketing_identifier?: string | null
  /** Where the flag is meant to be evaluated: `client`, `server`, `all` (default). */
  readonly evaluation_runtime?: string | null
  /** The places it is for; none means all. */
  readonly evaluation_contexts?: readonly string[] | null
  /** Older name of `evaluation_contexts`. */
  readonly evaluation_tags?: readonly string[] | null
  readonly filters: {
    /** In written order; the first that matches decides. */
    readonly groups: readonly ConditionGroup[]
    readonly multivariate?: { readonly variants: readonly Variant[] } | null
    /** Variant key, or `true`, to JSON (text or value). */
    readonly payloads?: Readonly<Record<string, Json>> | null
    /** The flag is for groups of this type, not for persons. */
    readonly aggregation_group_type_index?: number | null
    readonly holdout?: Holdout | null
    /** Ends at the first group whose properties match, even when its rollout keeps somebody out. */
    readonly early_exit?: boolean | null
    /** The person property `$feature_enrollment/<key>` decides where it is there. */
    readonly feature_enrollment?: boolean | null
  }
}

/** Filters put together; `property` is an old word for AND. An empty object holds everybody. */
export type CohortDefinition =
  | {
      readonly type: 'AND' | 'OR' | 'property'
      readonly values: readonly (CohortDefinition | PropertyFilter)[]
    }
  | Readonly<Record<string, never>>

/** What local evaluation needs: body of `GET /flags/definitions`. */
export interface FlagDefinitions {
  readonly flags: readonly FlagDefinition[]
  /** Group type index, as text, to group type. */
  readonly group_type_mapping?: Readonly<Record<string, string>> | null
  /** Cohort id to definition. Only those that properties and flags decide. */
  readonly cohorts?: Readonly<Record<string, CohortDefinition>> | null
  /** 2: `exact` and `is_not` compare texts. Anything else: a boolean filter value compares truthiness. */
  readonly property_matching_version?: number | null
  /** `$feature_flag_called` of flags without an experiment may go out with few properties. */
  readonly minimal_flag_called_events?: boolean
}
