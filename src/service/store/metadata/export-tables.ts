import type { Generated } from 'kysely'

/** The table of exports. The front (the HTTP process) writes it. */
export interface ExportTables {
  exports: {
    /** Never used again: it names the file of the content. */
    id: Generated<number>
    project_id: number
    /** The node that was asked for it, which makes its content and keeps it (`node-id.ts`). */
    node_id: string
    /** Null unless a dashboard is exported. */
    dashboard_id: number | null
    /** Null unless an insight is exported. */
    insight_id: number | null
    /** Media type. */
    format: string
    /** JSON object. */
    context: string
    filename: string
    /** `waiting`, `running`, `done` or `failed`. */
    state: string
    /** How often the job was started. */
    attempts: number
    /** Why it has failed; null otherwise. */
    error: string | null
    /** Null without a content. */
    content_bytes: number | null
    created_at: number
    /** Null for a user that was removed. */
    created_by: number | null
    expires_at: number
  }
}
