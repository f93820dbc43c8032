/** The tables of persons and groups. The indexer alone writes them. */
export interface PersonTables {
  persons: {
    project_id: number
    id: string
    properties: string
    created_at: number
    /** 0 or 1: SQLite has no boolean. */
    is_identified: number
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
  /** Per project, how far persons and groups are up to date (`RowPosition`). Older rows that bring no change may lie behind it. */
  person_positions: {
    project_id: number
    inbox_row: number
    /** Null when the row is done whole. */
    events: number | null
    /** Counts the transactions that changed persons or groups. */
    revision: number
  }
}
