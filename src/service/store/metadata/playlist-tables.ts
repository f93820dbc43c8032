import type { SavedColumns } from './saved-columns.ts'

/** The table of session recording playlists. The front (the HTTP process) writes it. */
export interface PlaylistTables {
  playlists: SavedColumns & {
    /** Random and unique. Rows are never deleted, so it is never used again. */
    short_id: string
    name: string
    /** Null if it follows from the filters. */
    derived_name: string | null
    description: string
    /** 0 or 1. */
    pinned: number
    /** `collection` or `filters`. */
    type: string
    /** 0 or 1; 1 if the type was chosen and not derived from the filters. */
    is_type_fixed: number
    /** JSON object. */
    filters: string
  }
}
