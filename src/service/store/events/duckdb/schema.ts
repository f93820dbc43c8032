import { DISTINCT_IDS_STAGING, DISTINCT_IDS_TABLE } from './distinct-ids.ts'
import { EVENT_COUNTS_TABLE } from './event-table/event-counts.ts'
import { PROPERTY_COLUMNS_TABLE } from './event-table/property-column.ts'
import { PERSON_NAMES_TABLE } from './person-names.ts'
import { PROPERTY_CHANGES_TABLES } from './property-changes.ts'

/**
 * The tables of a project. Queries may read `events`, `person_distinct_ids` (`openPersonNames`), `persons` and `groups` (`openPropertyChanges`); only the indexer uses
 * the schema `internal`. There are no keys or indexes: they slow down each insert, and DuckDB's zone maps (minimum and
 * maximum of each row group) keep lookups fast enough.
 */
export const TABLES: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS internal',
  // `events` is null for a complete row (`StoredPosition`).
  'CREATE TABLE IF NOT EXISTS internal.progress (inbox_row BIGINT NOT NULL, events BIGINT, person_revision BIGINT DEFAULT 0)',
  'INSERT INTO internal.progress (inbox_row) SELECT 0 WHERE NOT EXISTS (FROM internal.progress)',
  `CREATE TABLE IF NOT EXISTS internal.rejected (
    inbox_row BIGINT NOT NULL, received_at TIMESTAMPTZ NOT NULL, reason VARCHAR NOT NULL, form VARCHAR NOT NULL,
    body BLOB NOT NULL)`,
  DISTINCT_IDS_TABLE,
  PERSON_NAMES_TABLE,
  PROPERTY_COLUMNS_TABLE,
  // `layout` is the number of property columns when the row was written (`event-table/`).
  `CREATE TABLE IF NOT EXISTS internal.events (
    uuid UUID NOT NULL, event VARCHAR NOT NULL, distinct_id_number INTEGER NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL, received_at TIMESTAMPTZ NOT NULL, historical BOOLEAN NOT NULL,
    layout INTEGER NOT NULL, shape VARCHAR NOT NULL, rest VARCHAR NOT NULL USING COMPRESSION zstd)`,
  EVENT_COUNTS_TABLE,
  `CREATE TABLE IF NOT EXISTS internal.persons (
    id UUID NOT NULL, properties JSON NOT NULL, created_at TIMESTAMPTZ NOT NULL, is_identified BOOLEAN NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS internal.groups (
    group_type VARCHAR NOT NULL, group_key VARCHAR NOT NULL, properties JSON NOT NULL, created_at TIMESTAMPTZ NOT NULL)`,
  // Each query makes its own view of events (`query/query-views.ts`); earlier versions stored one.
  'DROP VIEW IF EXISTS events',
  ...PROPERTY_CHANGES_TABLES,
]

/** Temporary tables for the rows of a batch that replace stored rows. */
export const STAGING: readonly string[] = [
  'CREATE TEMP TABLE staged_uuid (uuid UUID)',
  DISTINCT_IDS_STAGING,
  'CREATE TEMP TABLE staged_person (id UUID, properties JSON, created_at TIMESTAMPTZ, is_identified BOOLEAN, public_id UUID)',
  'CREATE TEMP TABLE staged_group (group_type VARCHAR, group_key VARCHAR, properties JSON, created_at TIMESTAMPTZ)',
]

/**
 * `staged_uuid` has the ids of persons that were merged into others, also of those that an earlier batch of the transaction changed. A staged
 * person without properties keeps those that are stored.
 */
export const REPLACE_PERSONS: readonly string[] = [
  `DELETE FROM internal.persons WHERE id IN (
    SELECT id FROM temp.staged_person WHERE properties IS NOT NULL UNION ALL SELECT uuid FROM temp.staged_uuid)`,
  `INSERT INTO internal.persons SELECT id, properties, created_at, is_identified FROM temp.staged_person
    WHERE properties IS NOT NULL AND id NOT IN (SELECT uuid FROM temp.staged_uuid)`,
]

/** For staged persons without properties. DuckDB writes these columns alone. */
export const UPDATE_PERSONS = `UPDATE internal.persons SET created_at = staged.created_at, is_identified = staged.is_identified
  FROM temp.staged_person AS staged
  WHERE staged.properties IS NULL AND internal.persons.id = staged.id
    AND (internal.persons.created_at <> staged.created_at OR internal.persons.is_identified <> staged.is_identified)`

/** A staged group without properties keeps those that are stored. */
export const REPLACE_GROUPS: readonly string[] = [
  `DELETE FROM internal.groups USING temp.staged_group AS staged WHERE staged.properties IS NOT NULL
    AND internal.groups.group_type = staged.group_type AND internal.groups.group_key = staged.group_key`,
  'INSERT INTO internal.groups FROM temp.staged_group WHERE properties IS NOT NULL',
]

/** For staged groups without properties. */
export const UPDATE_GROUPS = `UPDATE internal.groups SET created_at = staged.created_at FROM temp.staged_group AS staged
  WHERE staged.properties IS NULL AND internal.groups.group_type = staged.group_type
    AND internal.groups.group_key = staged.group_key AND internal.groups.created_at <> staged.created_at`

export const DELETE_PERSONS: readonly string[] = [
  'DELETE FROM internal.persons',
  'DELETE FROM internal.person_names',
  'DELETE FROM internal.person_changes',
  'DELETE FROM internal.groups',
  'DELETE FROM internal.group_changes',
]
