import type { Generated } from 'kysely'
import type { FlagTables } from './flag-tables.ts'
import type { PersonTables } from './person-tables.ts'
import type { SurveyTables } from './survey-tables.ts'

/**
 * The tables of the metadata. Times are milliseconds since 1970 and JSON is stored as text, so both are the same on every
 * engine. A driver that returns 64-bit numbers (times, inbox rows) as strings, as PostgreSQL's does, must be configured to
 * return numbers.
 */
export interface Database extends PersonTables, FlagTables, SurveyTables {
  projects: ProjectTable
  personal_api_keys: PersonalApiKeyTable
  inbox_mark: InboxMarkTable
}

export interface ProjectTable {
  id: Generated<number>
  name: string
  /** Public: every web page with the agent contains it. */
  api_key: string
  created_at: number
  /** Maximum number of events in a calendar month (UTC); null for no limit. */
  event_quota: Generated<number | null>
}

/** One row: the highest inbox row id that may be assigned. */
export interface InboxMarkTable {
  id: number
  highest_row: number
}

export interface PersonalApiKeyTable {
  id: Generated<number>
  project_id: number
  label: string
  /** SHA-256 of the key in hex. A key has 256 random bits, so a slow password hash would add no security. */
  hash: string
  /** The first characters of the key, so that users can distinguish their keys. */
  hint: string
  /** JSON array of scopes, such as `query:read`. */
  scopes: string
  created_at: number
}
