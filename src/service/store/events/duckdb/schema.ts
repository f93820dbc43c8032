import { HOT_PROPERTIES, quoteIdentifier } from './hot-properties.ts'

const hotColumns = HOT_PROPERTIES.map(quoteIdentifier)

/**
 * The tables of a project. Queries may read `events`, `persons`, `person_distinct_ids` and `groups`; only the indexer uses
 * the schema `internal`. There are no keys or indexes: they slow down each insert, and DuckDB's zone maps (minimum and
 * maximum of each row group) keep lookups fast enough.
 */
export const SCHEMA: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS internal',
  // `events` is null for a complete row (`StoredPosition`).
  'CREATE TABLE IF NOT EXISTS internal.progress (inbox_row BIGINT NOT NULL, events BIGINT, person_revision BIGINT DEFAULT 0)',
  // A file of an earlier version that was killed at its first start may have the first column only.
  'ALTER TABLE internal.progress ADD COLUMN IF NOT EXISTS events BIGINT',
  'ALTER TABLE internal.progress ADD COLUMN IF NOT EXISTS person_revision BIGINT DEFAULT 0',
  'INSERT INTO internal.progress (inbox_row) SELECT 0 WHERE NOT EXISTS (FROM internal.progress)',
  `CREATE TABLE IF NOT EXISTS internal.rejected (
    inbox_row BIGINT NOT NULL, received_at TIMESTAMPTZ NOT NULL, reason VARCHAR NOT NULL, form VARCHAR NOT NULL,
    body BLOB NOT NULL)`,
  // `origin_id` is the id of the person that is created for the distinct id alone (`derivePersonId`).
  `CREATE TABLE IF NOT EXISTS internal.events (
    uuid UUID NOT NULL, event VARCHAR NOT NULL, distinct_id VARCHAR NOT NULL, origin_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL, received_at TIMESTAMPTZ NOT NULL, historical BOOLEAN NOT NULL,
    properties JSON NOT NULL USING COMPRESSION zstd)`,
  ...hotColumns.map((column) => `ALTER TABLE internal.events ADD COLUMN IF NOT EXISTS ${column} VARCHAR`),
  `CREATE TABLE IF NOT EXISTS internal.distinct_id (distinct_id VARCHAR NOT NULL, origin_id UUID NOT NULL, person_id UUID NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS persons (
    id UUID NOT NULL, properties JSON NOT NULL, created_at TIMESTAMPTZ NOT NULL, is_identified BOOLEAN NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS groups (
    group_type VARCHAR NOT NULL, group_key VARCHAR NOT NULL, properties JSON NOT NULL, created_at TIMESTAMPTZ NOT NULL)`,
  'CREATE OR REPLACE VIEW person_distinct_ids AS SELECT distinct_id, person_id FROM internal.distinct_id',
  // The join is cheap: the map has only the few distinct ids that belong to another person than the one derived from them.
  `CREATE OR REPLACE VIEW events AS
    SELECT event.uuid, event.event, event.distinct_id, coalesce(map.person_id, event.origin_id) AS person_id,
      event.timestamp, event.received_at, event.historical, event.properties, ${hotColumns.map((column) => `event.${column}`).join(', ')}
    FROM internal.events AS event
    LEFT JOIN (SELECT origin_id, person_id FROM internal.distinct_id WHERE origin_id <> person_id) AS map
      ON map.origin_id = event.origin_id`,
]

/** Temporary tables for the rows of a batch that replace stored rows. */
export const STAGING: readonly string[] = [
  'CREATE TEMP TABLE staged_uuid (uuid UUID)',
  'CREATE TEMP TABLE staged_person (id UUID, properties JSON, created_at TIMESTAMPTZ, is_identified BOOLEAN)',
  'CREATE TEMP TABLE staged_distinct_id (distinct_id VARCHAR, origin_id UUID, person_id UUID)',
  'CREATE TEMP TABLE staged_group (group_type VARCHAR, group_key VARCHAR, properties JSON, created_at TIMESTAMPTZ)',
]

/** A person's id is the origin id of one of its distinct ids, so the staged origin ids include every merged person. */
export const REPLACE_PERSONS: readonly string[] = [
  `DELETE FROM persons WHERE id IN (
    SELECT id FROM temp.staged_person
    UNION ALL SELECT origin_id FROM temp.staged_distinct_id WHERE origin_id <> person_id)`,
  'INSERT INTO persons FROM temp.staged_person',
]

export const REPLACE_DISTINCT_IDS: readonly string[] = [
  'DELETE FROM internal.distinct_id WHERE origin_id IN (SELECT origin_id FROM temp.staged_distinct_id)',
  'INSERT INTO internal.distinct_id FROM temp.staged_distinct_id',
]

export const REPLACE_GROUPS: readonly string[] = [
  `DELETE FROM groups USING temp.staged_group AS staged
    WHERE groups.group_type = staged.group_type AND groups.group_key = staged.group_key`,
  'INSERT INTO groups FROM temp.staged_group',
]

export const DELETE_PERSONS: readonly string[] = [
  'DELETE FROM persons',
  'DELETE FROM internal.distinct_id',
  'DELETE FROM groups',
]
