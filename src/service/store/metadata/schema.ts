import type { Generated } from 'kysely'
import type { ExportTables } from './export-tables.ts'
import type { FlagTables } from './flag-tables.ts'
import type { PeopleTables } from './people-tables.ts'
import type { PersonTables } from './person-tables.ts'
import type { InsightTables } from './insight-tables.ts'
import type { PlaylistTables } from './playlist-tables.ts'
import type { SurveyTables } from './survey-tables.ts'

/**
 * The tables of the metadata. Times are milliseconds since 1970 and JSON is stored as text, so both are the same on every
 * engine. A driver that returns 64-bit numbers (times, inbox rows) as strings, as PostgreSQL's does, must be configured to
 * return numbers.
 */
export interface Database
  extends PeopleTables, PersonTables, FlagTables, SurveyTables, PlaylistTables, InsightTables, ExportTables {
  projects: ProjectTable
  personal_api_keys: PersonalApiKeyTable
  inbox_mark: InboxMarkTable
}

export interface ProjectTable {
  id: Generated<number>
  name: string
  uuid: string
  organization_id: string
  /** Public: every web page with the agent contains it. */
  api_key: string
  created_at: number
  /** Maximum number of events in a calendar month (UTC); null for no limit. */
  event_quota: Generated<number | null>
  time_zone: Generated<string>
  week_start: Generated<string>
  /** A JSON array. */
  test_account_filters: Generated<string>
  /** 1: closed to members of the organisation without a membership of the project. */
  is_private: Generated<number>
  /** Starts at 1 and increases with each change. */
  version: Generated<number>
  updated_at: Generated<number>
}

/** One row for each node. */
export interface InboxMarkTable {
  node_id: string
  /** The highest id that its inbox may assign. */
  highest_row: number
  /** 1 for a node whose events are in its data folder, where no other node finds them. */
  embeds_events: Generated<number>
}

export interface PersonalApiKeyTable {
  id: Generated<number>
  user_id: number
  label: string
  /** SHA-256 of the key in hex. A key has 256 random bits, so a slow password hash would add no security. */
  hash: string
  /** The first characters of the key, so that users can distinguish their keys. */
  hint: string
  /** JSON array of scopes, such as `query:read`; `*` is all of them. */
  scopes: string
  /** JSON array of the project ids that the key is limited to; empty for all. */
  project_ids: string
  /** JSON array of the organisation ids that the key is limited to; empty for all. */
  organization_ids: string
  /** Null for a key that does not expire. */
  expires_at: number | null
  /** Rounded down to the minute; null before the first use. */
  last_used_at: number | null
  /** Starts at 1 and increases with each change. */
  version: number
  created_at: number
}
