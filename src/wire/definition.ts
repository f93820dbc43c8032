import type { Json } from './json.ts'

/** One condition on a person or group property. */
export interface PropertyFilter {
  readonly key: string
  /** `person` (default), `group`, `cohort` or `flag`. */
  readonly type?: string
  readonly value?: Json
  /** Default `exact`. */
  readonly operator?: string
  readonly negation?: boolean
}

/** Conditions that hold together (AND), and the share of users they are for. */
export interface ConditionGroup {
  readonly properties?: readonly PropertyFilter[]
  /** Percent, fractional allowed, 0 to 100; absent or null means 100. */
  readonly rollout_percentage?: number | null
  /** Gives this variant to all who match, whatever their hash. */
  readonly variant?: string | null
}

export interface Variant {
  readonly key: string
  /** Percent, fractional allowed. */
  readonly rollout_percentage: number
  readonly name?: string | null
}

/** A feature flag as the service stores it and as local evaluation reads it. */
export interface FlagDefinition {
  readonly id: number
  readonly key: string
  readonly name?: string
  readonly active: boolean
  readonly deleted?: boolean
  readonly version?: number
  readonly has_experiment?: boolean
  readonly ensure_experience_continuity?: boolean | null
  readonly bucketing_identifier?: string | null
  readonly filters: {
    /** In written order; the first that matches decides. */
    readonly groups: readonly ConditionGroup[]
    readonly multivariate?: { readonly variants: readonly Variant[] } | null
    /** Variant key, or `true`, to JSON (text or value). */
    readonly payloads?: Readonly<Record<string, Json>>
    readonly aggregation_group_type_index?: number | null
  }
}
