import type { Generated } from 'kysely'

/** The table of session recording playlists. The front (the HTTP process) writes it. */
export interface PlaylistTables {
  playlists: {
    id: Generated<number>
    project_id: number
    /** Random and unique. Rows are never deleted, so it is never used again. */
    short_id: string
    name: string
    /** Null if it follows from the filters. */
    derived_name: string | null
    description: string
    /** 0 or 1. */
    pinned: number
    /** 0 or 1. */
    deleted: number
    /** `collection` or `filters`. */
    type: string
    /** 0 or 1; 1 if the type was chosen and not derived from the filters. */
    is_type_fixed: number
    /** JSON object. */
    filters: string
    /** Starts at 1 and increases with each change. */
    version: number
    created_at: number
    /** Null for a user that was removed. */
    created_by: number | null
    last_modified_at: number
    last_modified_by: number | null
  }
}
