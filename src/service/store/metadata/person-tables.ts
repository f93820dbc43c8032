import type { Generated } from 'kysely'

/** The tables of persons and groups. Only indexers write them. */
export interface PersonTables {
  persons: {
    project_id: number
    id: string
    properties: string
    created_at: number
    /** 0 or 1: SQLite has no boolean. */
    is_identified: number
    /** `Person.publicId`; null for `id`. */
    public_id: Generated<string | null>
  }
  person_distinct_ids: {
    project_id: number
    distinct_id: string
    person_id: string
  }
  groups: {
    project_id: number
    group_type: string
    group_key: string
    properties: string
    created_at: number
  }
  /**
   * The position (`RowPosition`) of each project's persons and groups, in the inbox of each node. Inbox rows that change nothing do not move
   * it.
   */
  person_positions: {
    node_id: string
    project_id: number
    inbox_row: number
    /** Null for a complete row. */
    events: number | null
    /** The number of the node's last transaction that changed persons or groups. The nodes count together. */
    revision: number
  }
}
