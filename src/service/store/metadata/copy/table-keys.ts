import type { Database } from '../schema.ts'

/** The columns of each table's primary key. A table comes after those that it refers to. */
export const TABLE_KEYS = {
  users: ['id'],
  organizations: ['id'],
  organization_members: ['id'],
  projects: ['id'],
  project_members: ['id'],
  personal_api_keys: ['id'],
  persons: ['project_id', 'id'],
  person_distinct_ids: ['project_id', 'distinct_id'],
  groups: ['project_id', 'group_type', 'group_key'],
  person_changes: ['project_id', 'person_id', 'name'],
  group_changes: ['project_id', 'group_type', 'group_key', 'name'],
  flags: ['id'],
  flag_settings: ['project_id'],
  cohorts: ['project_id', 'id'],
  early_access_features: ['id'],
  hash_keys: ['project_id', 'distinct_id'],
  surveys: ['id'],
  playlists: ['id'],
  insights: ['id'],
  dashboards: ['id'],
  dashboard_tiles: ['id'],
  exports: ['id'],
  inbox_mark: ['node_id'],
  person_positions: ['project_id', 'node_id'],
} as const satisfies { readonly [Table in keyof Database]: readonly (keyof Database[Table])[] }

export type TableName = keyof typeof TABLE_KEYS

export const TABLE_NAMES = Object.keys(TABLE_KEYS) as readonly TableName[]

/** The tables whose column `id` the engine assigns. */
export const TABLES_WITH_ASSIGNED_IDS = [
  'users',
  'projects',
  'personal_api_keys',
  'flags',
  'playlists',
  'insights',
  'dashboards',
  'dashboard_tiles',
  'exports',
] as const satisfies readonly TableName[]
