import type { Generated } from 'kysely'

/** The tables of flags. The front and the command line write them; the indexer only adds group types. */
export interface FlagTables {
  flags: {
    id: Generated<number>
    project_id: number
    key: string
    /** JSON of the definition without id and version. */
    definition: string
    /** 1 for a deleted flag: it keeps its key, can be restored, and is neither listed nor served. */
    is_deleted: number
    /** Starts at 1 and increases with each change. */
    version: number
    created_at: number
    updated_at: number
  }
  cohorts: {
    project_id: number
    /** Assigned per project, so that the id stays valid in flags when definitions move to another service. */
    id: number
    /** JSON of the cohort without id and version. */
    definition: string
    is_deleted: number
    version: number
    created_at: number
    updated_at: number
  }
  early_access_features: {
    /** A uuid. */
    id: string
    project_id: number
    /** The flag in which users enrol; a flag has at most one feature. */
    flag_id: number
    name: string
    description: string
    stage: string
    documentation_url: string
    /** JSON. */
    payload: string
    /** 1 if the feature added the enrolment condition to its flag; the condition is removed with the feature. */
    sets_enrolment: number
    /** Starts at 1 and increases with each change. */
    version: number
    created_at: number
  }
  /** One row for each project that ever had flags. */
  flag_settings: {
    project_id: number
    /** Increases with each change of the project's flags and settings, so that readers notice stale caches. */
    revision: number
    /** JSON object: group type index to group type. */
    group_types: string
    /** 1 while evaluation is paused because the quota is used up. */
    is_paused: number
    /** See `FlagDefinitions`; null if it was never set. */
    property_matching_version: number | null
    /** 1: see `FlagDefinitions`. */
    minimal_flag_called_events: Generated<number>
    /** The highest cohort id that was ever assigned. Ids are not reused, even after their cohort is deleted. */
    last_cohort_id: Generated<number>
  }
  /**
   * Flags with experience continuity hash this id instead of the distinct id: the one from before the first `identify`. A
   * user therefore keeps the same variant.
   */
  hash_keys: {
    project_id: number
    distinct_id: string
    hash_key: string
    created_at: number
  }
}
