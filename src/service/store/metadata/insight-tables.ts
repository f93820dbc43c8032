import type { Generated } from 'kysely'
import type { SavedColumns } from './saved-columns.ts'

/** The tables of insights and dashboards. The front (the HTTP process) writes them. */
export interface InsightTables {
  insights: SavedColumns & {
    /** Random and unique. Rows are never deleted, so it is never used again. */
    short_id: string
    name: string
    /** Null if it follows from the query. */
    derived_name: string | null
    description: string
    /** JSON object, as the client sent it; null for none. */
    query: string | null
    sort_order: number | null
    /** JSON array of strings. */
    tags: string
    /** 0 or 1. */
    favorited: number
  }
  dashboards: SavedColumns & {
    name: string
    description: string
    /** 0 or 1. */
    pinned: number
    /** JSON array of strings. */
    tags: string
    /** JSON object. */
    filters: string
    /** `default` or `duplicate`. */
    creation_mode: string
    last_viewed_at: number | null
  }
  dashboard_tiles: {
    id: Generated<number>
    dashboard_id: number
    /** Null for a text. */
    insight_id: number | null
    /** The text; null for an insight. */
    text: string | null
    /** JSON object, as the client sent it. */
    layouts: string
    color: string | null
    sort_order: number
    /** 0 or 1. */
    deleted: number
  }
}
