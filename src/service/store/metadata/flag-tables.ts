import type { Generated } from 'kysely'

/** The tables of flags. The front and the command line write them. */
export interface FlagTables {
  flags: {
    id: Generated<number>
    project_id: number
    key: string
    /** The definition as it was given, JSON, without id and version. */
    definition: string
    /** 1 at first, one more with each change. */
    version: number
    updated_at: number
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
  }
}
