import { createHash } from 'node:crypto'
import { HOT_PROPERTIES } from '../hot-properties.ts'
import { readText } from '../../../insight/filter/clickhouse/property-sql.ts'
import {
  CHANGED_GROUPS,
  CHANGED_PERSONS,
  CHANGE_TABLES,
  completeTables,
  createPartsTable,
  haveChanges,
  selectFolded,
  withoutLines,
} from './property-changes.ts'
import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'

/** Where the tables of a project are. */
export interface SchemaPlace {
  readonly database: string
  /** The servers that have the tables together (`ClickHouseOptions.cluster`). */
  readonly cluster?: string | undefined
}

/** The tables that are written anew when all persons are replaced. */
export const PERSON_TABLES = [
  'stored_persons',
  'stored_person_names',
  'stored_distinct_ids',
  'stored_groups',
  'stored_person_changes',
  'stored_group_changes',
] as const

/** The tables and views that queries read. */
const READABLE_TABLES = [
  'events',
  'persons',
  'person_distinct_ids',
  'groups',
  'stored_events',
  ...PERSON_TABLES,
  CHANGED_PERSONS.parts,
  CHANGED_GROUPS.parts,
] as const

/** The part of `stored_events` that a server of a cluster has. */
const EVENTS_OF_SHARD = 'stored_events_of_shard'

/** Blocks whose tokens a table remembers, so that a block that is sent twice is stored once. */
const REMEMBERED_BLOCKS = 10_000

const HOT_COLUMNS = HOT_PROPERTIES.map(
  (name) => `${quoteName(name)} Nullable(String) MATERIALIZED ${readText('properties', name)} CODEC(ZSTD(1))`,
)

const EVENT_COLUMNS = `(
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
    ${HOT_COLUMNS.join(',\n    ')}`

const EVENT_ORDER = `PARTITION BY toYYYYMM(toDateTime(uuid_hour * 3600, 'UTC'))
  ORDER BY (uuid_hour, event, uuid)`

/**
 * Servers whose `use_skip_indexes_if_final_exact_mode` is on use it with FINAL, too. Earlier ones are not told to: of two deliveries of an
 * event with different times, they would find the one that does not count.
 */
const TIME_INDEX = 'INDEX time timestamp TYPE minmax GRANULARITY 1'

/** The tables that a cluster has on every server: those that events are joined with, and the small ones. Columns, key and version of each. */
const COMMON_TABLES = {
  stored_persons: {
    columns:
      "id UUID, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, is_deleted Bool, version UInt64",
    order: 'id',
    version: 'version',
  },
  // The public ids of persons that have another one (`Person.publicId`).
  stored_person_names: {
    columns: 'id UUID, public_id UUID, version UInt64',
    order: 'id',
    version: 'version',
  },
  stored_distinct_ids: {
    columns: 'distinct_id String, origin_id UUID, person_id UUID, version UInt64',
    order: 'distinct_id',
    version: 'version',
  },
  stored_groups: {
    columns:
      "group_type LowCardinality(String), group_key String, properties String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64",
    order: '(group_type, group_key)',
    version: 'version',
  },
  ...CHANGE_TABLES,
  rejected: {
    columns: "node String, inbox_row UInt64, received_at DateTime64(3, 'UTC'), reason String, form String, body String",
    order: '(node, inbox_row)',
    version: null,
  },
  // `events` is null for a complete row (\`StoredPosition\`).
  progress: {
    columns: 'node String, inbox_row UInt64, events Nullable(UInt64), person_revision UInt64, version UInt64',
    order: 'node',
    version: 'version',
  },
} as const

/** The clause by which a statement runs on all servers; empty for one server. */
export const onCluster = ({ cluster }: Pick<SchemaPlace, 'cluster'>): string =>
  cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`

interface CommonTable {
  readonly columns: string
  readonly order: string
  readonly version: string | null
  /** What follows `ORDER BY`. Default: nothing. */
  readonly more?: string
}

/** A table that every server of a cluster has as a whole: all are replicas of one another, whatever their shard. */
const createCommonTable = (place: SchemaPlace, name: string, table: CommonTable): string => {
  const { columns, order, version, more = '' } = table
  const replica = `${quoteString(`/clickhouse/tables/all/${place.database}/${name}`)}, '{shard}-{replica}'`
  const engine =
    place.cluster === undefined
      ? `ReplacingMergeTree${version === null ? '' : `(${version})`}`
      : `ReplicatedReplacingMergeTree(${replica}${version === null ? '' : `, ${version}`})`
  return `CREATE TABLE IF NOT EXISTS ${name}${onCluster(place)} (
    ${columns}
  ) ENGINE = ${engine} ORDER BY ${order}${more}`
}

/** The statement for the table that names the project of a database (`claimDatabase`). */
export const createOwnerTable = (place: SchemaPlace): string =>
  createCommonTable(place, 'owner', { columns: 'project_uuid String', order: 'project_uuid', version: null })

/** The statement for the table that says which schemas a database has (`schemaHash`). */
export const createSchemaTable = (place: SchemaPlace): string =>
  createCommonTable(place, 'applied_schemas', {
    columns: "hash String, at DateTime64(3, 'UTC') DEFAULT now64(3)",
    order: '(hash, at)',
    version: null,
  })

/**
 * The tables of the events. On a cluster each shard has a part of the events, in a table that its replicas share, and every server has a
 * table without rows of its own that finds all parts. The shard depends on nothing but the uuid, so that all deliveries of an event are on
 * the same one, where FINAL finds them.
 */
const createEventTables = (place: SchemaPlace): readonly string[] => {
  const { database, cluster } = place
  const addColumns = (table: string): string =>
    `ALTER TABLE ${table}${onCluster(place)} ${HOT_COLUMNS.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`
  if (cluster === undefined)
    return [
      `CREATE TABLE IF NOT EXISTS stored_events ${EVENT_COLUMNS},
    ${TIME_INDEX}
  ) ENGINE = ReplacingMergeTree(version)
  ${EVENT_ORDER}
  SETTINGS non_replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
      addColumns('stored_events'),
    ]
  const path = quoteString(`/clickhouse/tables/{shard}/${database}/stored_events`)
  return [
    `CREATE TABLE IF NOT EXISTS ${EVENTS_OF_SHARD}${onCluster(place)} ${EVENT_COLUMNS},
    ${TIME_INDEX}
  ) ENGINE = ReplicatedReplacingMergeTree(${path}, '{replica}', version)
  ${EVENT_ORDER}
  SETTINGS replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
    addColumns(EVENTS_OF_SHARD),
    `CREATE TABLE IF NOT EXISTS stored_events${onCluster(place)} ${EVENT_COLUMNS}
  ) ENGINE = Distributed(${quoteString(cluster)}, ${quoteString(database)}, '${EVENTS_OF_SHARD}', cityHash64(uuid))`,
    addColumns('stored_events'),
  ]
}

/** The public id of a person, where `joinNames` is joined. A person without a name has an id of zeros there. */
const nameOr = (id: string): string => `if(named.id = ${id}, named.public_id, ${id})`

const joinNames = (id: string): string =>
  `LEFT ANY JOIN (SELECT id, public_id FROM stored_person_names FINAL) AS named ON named.id = ${id}`

/** The condition on persons with a public id of their own. */
const HAVE_NAMES = 'id IN (SELECT id FROM stored_person_names)'

/**
 * The statements for the tables and views of a project's database, where those that are there already stay as they are.
 *
 * Tables are versioned: writing a row again replaces it, at once for readers (FINAL), and later on disk. So a write may be repeated, by
 * the same node or by another one. The key of an event depends on nothing but its uuid and its name: two deliveries of the same
 * event, of which each may have another timestamp, are always in the same partition and have the same key. The one that was
 * received first stays.
 *
 * @param hasAnalyzer See `selectFolded`. Default: true.
 */
export const createTables = (place: SchemaPlace, hasAnalyzer = true): readonly string[] => {
  const createView = (name: string): string => `CREATE OR REPLACE VIEW ${name}${onCluster(place)} AS`
  return [
    ...createEventTables(place),
    ...Object.entries(COMMON_TABLES).map(([name, table]) => createCommonTable(place, name, table)),
    ...[CHANGED_PERSONS, CHANGED_GROUPS].flatMap((owners) => completeTables(owners, onCluster(place))),
    ...[CHANGED_PERSONS, CHANGED_GROUPS].map((owners) =>
      createPartsTable(owners, { database: place.database, onCluster: onCluster(place) }),
    ),
    // Three kinds, so that a condition on the id reaches the tables.
    `${createView('persons')}
    SELECT id, ${withoutLines('stored.properties')} AS properties, created_at, is_identified FROM stored_persons AS stored FINAL
    WHERE NOT is_deleted AND NOT (${HAVE_NAMES} OR ${haveChanges(CHANGED_PERSONS)})
    UNION ALL
    ${selectFolded(CHANGED_PERSONS, `NOT ${HAVE_NAMES} AND ${haveChanges(CHANGED_PERSONS)}`, hasAnalyzer)}
    UNION ALL
    SELECT named.public_id AS id, stored.properties AS properties, stored.created_at AS created_at,
      stored.is_identified AS is_identified
    FROM (${selectFolded(CHANGED_PERSONS, HAVE_NAMES, hasAnalyzer)}) AS stored ANY INNER JOIN (SELECT id, public_id FROM stored_person_names FINAL) AS named ON named.id = stored.id`,
    `${createView('person_distinct_ids')}
    SELECT ids.distinct_id AS distinct_id, ${nameOr('ids.person_id')} AS person_id
    FROM (SELECT distinct_id, person_id FROM stored_distinct_ids FINAL) AS ids ${joinNames('ids.person_id')}`,
    `${createView('groups')}
    SELECT group_type, group_key, ${withoutLines('stored.properties')} AS properties, created_at FROM stored_groups AS stored FINAL
    WHERE NOT ${haveChanges(CHANGED_GROUPS)}
    UNION ALL
    ${selectFolded(CHANGED_GROUPS, haveChanges(CHANGED_GROUPS), hasAnalyzer)}`,
    `${createView('events')}
    SELECT stored.uuid AS uuid, stored.event AS event, stored.distinct_id AS distinct_id,
      if(moved.distinct_id = '', stored.origin_id, moved.person_id) AS person_id,
      stored.timestamp AS timestamp, stored.received_at AS received_at, stored.historical AS historical,
      stored.properties AS properties,
      ${HOT_PROPERTIES.map((name) => `stored.${quoteName(name)} AS ${quoteName(name)}`).join(', ')}
    FROM stored_events AS stored FINAL
    LEFT ANY JOIN (
      SELECT ids.distinct_id AS distinct_id, ${nameOr('ids.person_id')} AS person_id
      FROM (
        SELECT distinct_id, person_id FROM stored_distinct_ids FINAL
        WHERE person_id != origin_id OR person_id IN (SELECT id FROM stored_person_names FINAL)
      ) AS ids ${joinNames('ids.person_id')}
    ) AS moved ON moved.distinct_id = stored.distinct_id`,
  ]
}

/** A user for the SQL of the members of a project. */
export interface MemberLogin {
  readonly name: string
  readonly password: string
}

/** The statements for the user who may read the tables of a project and nothing else. Its password changes with that of the administrator. */
export const createMember = (place: SchemaPlace, { name, password }: MemberLogin): readonly string[] => {
  const user = `${quoteName(name)}${onCluster(place)}`
  const identified = `IDENTIFIED WITH sha256_password BY ${quoteString(password)}`
  const tables = [...READABLE_TABLES, ...(place.cluster === undefined ? [] : [EVENTS_OF_SHARD])]
  return [
    `CREATE USER IF NOT EXISTS ${user} ${identified}`,
    `ALTER USER ${user} ${identified}`,
    ...tables.map(
      (table) =>
        `GRANT${onCluster(place)} SELECT ON ${quoteName(place.database)}.${quoteName(table)} TO ${quoteName(name)}`,
    ),
  ]
}

/** What tells a schema from others: a hash of its statements. */
export const schemaHash = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join('\0')).digest('hex')
