import { HOT_PROPERTIES } from '../hot-properties.ts'
import { readText } from '../../../insight/filter/clickhouse/property-sql.ts'
import { quoteName } from '../../../sql/quote-clickhouse.ts'

/** The tables and views that queries read. */
export const READABLE_TABLES = [
  'events',
  'persons',
  'person_distinct_ids',
  'groups',
  'stored_events',
  'stored_persons',
  'stored_distinct_ids',
  'stored_groups',
] as const

/** Blocks whose tokens a table remembers, so that a block that is sent twice is stored once. */
const REMEMBERED_BLOCKS = 10_000

const HOT_COLUMNS = HOT_PROPERTIES.map(
  (name) => `${quoteName(name)} Nullable(String) MATERIALIZED ${readText('properties', name)} CODEC(ZSTD(1))`,
)

/**
 * The tables of a project's database, where those that are there already stay as they are.
 *
 * Tables are versioned: writing a row again replaces it, at once for readers (FINAL), and later on disk. So a write may be repeated, by
 * the same node or by another one. The key of an event depends on nothing but its uuid and its name: two deliveries of the same
 * event, of which each may have another timestamp, are always in the same partition and have the same key. The one that was
 * received first stays.
 */
export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS stored_events (
    uuid UUID,
    uuid_hour UInt32 CODEC(Delta, ZSTD(1)),
    event LowCardinality(String),
    distinct_id String CODEC(ZSTD(1)),
    origin_id UUID CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    historical Bool,
    properties String CODEC(ZSTD(3)),
    version UInt64 CODEC(Delta, ZSTD(1)),
    ${HOT_COLUMNS.join(',\n    ')},
    INDEX time timestamp TYPE minmax GRANULARITY 1
  ) ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMM(toDateTime(uuid_hour * 3600, 'UTC'))
  ORDER BY (uuid_hour, event, uuid)
  SETTINGS non_replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
  // Those that a newer version has added.
  `ALTER TABLE stored_events ${HOT_COLUMNS.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`,
  `CREATE TABLE IF NOT EXISTS stored_persons (
    id UUID, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, is_deleted Bool, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY id`,
  `CREATE TABLE IF NOT EXISTS stored_distinct_ids (
    distinct_id String, origin_id UUID, person_id UUID, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY distinct_id`,
  `CREATE TABLE IF NOT EXISTS stored_groups (
    group_type LowCardinality(String), group_key String, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY (group_type, group_key)`,
  `CREATE TABLE IF NOT EXISTS rejected (
    node String, inbox_row UInt64, received_at DateTime64(3, 'UTC'), reason String, form String, body String
  ) ENGINE = ReplacingMergeTree ORDER BY (node, inbox_row)`,
  // `events` is null for a complete row (\`StoredPosition\`).
  `CREATE TABLE IF NOT EXISTS progress (
    node String, inbox_row UInt64, events Nullable(UInt64), person_revision UInt64, version UInt64
  ) ENGINE = ReplacingMergeTree(version) ORDER BY node`,
  `CREATE OR REPLACE VIEW persons AS
    SELECT id, properties, created_at, is_identified FROM stored_persons FINAL WHERE NOT is_deleted`,
  'CREATE OR REPLACE VIEW person_distinct_ids AS SELECT distinct_id, person_id FROM stored_distinct_ids FINAL',
  'CREATE OR REPLACE VIEW groups AS SELECT group_type, group_key, properties, created_at FROM stored_groups FINAL',
  `CREATE OR REPLACE VIEW events AS
    SELECT stored.uuid AS uuid, stored.event AS event, stored.distinct_id AS distinct_id,
      if(moved.distinct_id = '', stored.origin_id, moved.person_id) AS person_id,
      stored.timestamp AS timestamp, stored.received_at AS received_at, stored.historical AS historical,
      stored.properties AS properties,
      ${HOT_PROPERTIES.map((name) => `stored.${quoteName(name)} AS ${quoteName(name)}`).join(', ')}
    FROM stored_events AS stored FINAL
    LEFT ANY JOIN (
      SELECT distinct_id, person_id FROM stored_distinct_ids FINAL WHERE person_id != origin_id
    ) AS moved ON moved.distinct_id = stored.distinct_id`,
]

/** The tables that are written anew when all persons are replaced. */
export const PERSON_TABLES = ['stored_persons', 'stored_distinct_ids', 'stored_groups'] as const
