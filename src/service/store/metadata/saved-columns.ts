import type { Generated } from 'kysely'

/** The columns that the tables of saved items share. */
export interface SavedColumns {
  id: Generated<number>
  project_id: number
  /** 0 or 1. A deleted item is kept, but not listed. */
  deleted: number
  /** Starts at 1 and increases with each change. */
  version: number
  created_at: number
  /** Null for a user that was removed. */
  created_by: number | null
  last_modified_at: number
  last_modified_by: number | null
}
