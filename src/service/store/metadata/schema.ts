import type { Generated } from 'kysely'
import type { FlagTables } from './flag-tables.ts'
import type { PersonTables } from './person-tables.ts'
import type { SurveyTables } from './survey-tables.ts'

/**
 * The tables of the metadata. Moments are milliseconds since 1970, JSON is text: both read the same on any engine. A driver
 * that gives numbers of 64 bits (moments, inbox rows) as texts, as PostgreSQL's does, must be told to read them as numbers.
 */
export interface Database extends PersonTables, FlagTables, SurveyTables {
  projects: ProjectTable
  personal_api_keys: PersonalApiKeyTable
  inbox_mark: InboxMarkTable
}

export interface ProjectTable {
  id: Generated<number>
  name: string
  /** Public: stands in every page that is tracked. */
  api_key: string
  created_at: number
  /** Events a month; null for no quota. */
  event_quota: Generated<number | null>
}

/** One row: the ids of inbox rows are given up to this one. */
export interface InboxMarkTable {
  id: number
  highest_row: number
}

export interface PersonalApiKeyTable {
  id: Generated<number>
  project_id: number
  label: string
  /** SHA-256 of the key, hex. A key has 256 random bits, so a slow hash would only slow the service. */
  hash: string
  /** The key's first characters, so that its owner can tell keys apart. */
  hint: string
  /** JSON array of scopes, such as `query:read`. */
  scopes: string
  created_at: number
}
