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
    /** 1 if `person_changes` has rows of the person (`storedChanges`); else null. */
    has_changes: Generated<number | null>
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
    /** 1 if `group_changes` has rows of the group; else null. */
    has_changes: Generated<number | null>
  }
  /** Properties that were changed since the person's `properties` were written. */
  person_changes: ChangeRow & { person_id: string }
  group_changes: ChangeRow & { group_type: string; group_key: string }
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

interface ChangeRow {
  project_id: number
  /** As JSON, so that every string is stored as it is. */
  name: string
  /** As JSON; null for a property that was removed. */
  value: string | null
}
