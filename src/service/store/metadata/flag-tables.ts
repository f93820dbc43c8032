import type { Generated } from 'kysely'

/** The tables of flags and what belongs to them. The front and the command line write them; group types the indexer too. */
export interface FlagTables {
  flags: {
    id: Generated<number>
    project_id: number
    key: string
    /** The definition as it was given, JSON, without id and version. */
    definition: string
    /** 1 for a definition that says so: it keeps its key and can be restored, and is neither listed nor served. */
    is_deleted: number
    /** 1 at first, one more with each change. */
    version: number
    created_at: number
    updated_at: number
  }
  cohorts: {
    project_id: number
    /** Counted per project, so that flags keep their meaning when definitions move from one service to another. */
    id: number
    /** The cohort as it was given, JSON, without id and version. */
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
    /** The flag that people enrol in; it has one feature at most. */
    flag_id: number
    name: string
    description: string
    stage: string
    documentation_url: string
    /** JSON. */
    payload: string
    /** 1 when the flag asked nobody to enrol before the feature came: with the feature that goes, too. */
    sets_enrolment: number
    /** 1 at first, one more with each change. */
    version: number
    created_at: number
  }
  /** One row per project that ever had flags. */
  flag_settings: {
    project_id: number
    /** Grows with every change of the project's flags and settings: readers compare it with what they hold. */
    revision: number
    /** Group type index to group type, JSON. */
    group_types: string
    /** 1 when evaluation is paused because the quota is used up. */
    is_paused: number
    /** See `FlagDefinitions`; null where nobody has chosen. */
    property_matching_version: number | null
    /** 1: see `FlagDefinitions`. */
    minimal_flag_called_events: Generated<number>
    /** The highest cohort id that was ever given: none is given twice, even after its cohort is gone. */
    last_cohort_id: Generated<number>
  }
  /** What a person's flags with experience continuity are hashed by, for good: the id before the first `identify`. */
  hash_keys: {
    project_id: number
    distinct_id: string
    hash_key: string
    created_at: number
  }
}
