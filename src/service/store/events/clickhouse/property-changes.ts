import { quoteString } from '../../../sql/quote-clickhouse.ts'

/** What the changes of persons or groups are joined with. */
interface Owners {
  readonly table: string
  readonly changes: string
  /** Both together (`createPartsTable`). */
  readonly parts: string
  readonly key: readonly string[]
  /** The columns that each change writes, too. */
  readonly others: readonly string[]
  readonly isDeletable: boolean
}

/** Persons with the changes of `CHANGE_TABLES`. */
export const CHANGED_PERSONS: Owners = {
  table: 'stored_persons',
  changes: 'stored_person_changes',
  parts: 'person_parts',
  key: ['id'],
  others: ['created_at', 'is_identified'],
  isDeletable: true,
}

/** Groups with the changes of `CHANGE_TABLES`. */
export const CHANGED_GROUPS: Owners = {
  table: 'stored_groups',
  changes: 'stored_group_changes',
  parts: 'group_parts',
  key: ['group_type', 'group_key'],
  others: ['created_at'],
  isDeletable: false,
}

/** A replaced change is deleted some days later, when it has replaced the value in all parts of the table: they are merged once a day. */
const CHANGES_TTL = "removed_at + INTERVAL 7 DAY DELETE WHERE removed_at > toDateTime(0, 'UTC')"
const MERGE_SETTING = 'min_age_to_force_merge_seconds = 86400'
const CHANGES_END = ` TTL ${CHANGES_TTL} SETTINGS ${MERGE_SETTING}`

/**
 * The properties of large persons and groups that changed since all of them were written (`planWrite`): rows with name and value as JSON; the
 * value is empty for a property that was removed. The row without a name has the other columns. So a change of 50 bytes writes no 512 KiB.
 *
 * A change counts while its version is not below that of the row with all properties, which has it otherwise. One that counts no more is
 * replaced by a row without a value (`replaceOutdated`), which has the time of that in `removed_at`.
 */
export const CHANGE_TABLES = {
  stored_person_changes: {
    columns:
      "id UUID, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, version UInt64, removed_at DateTime('UTC')",
    order: '(id, name)',
    version: 'version',
    more: CHANGES_END,
  },
  stored_group_changes: {
    columns:
      "group_type LowCardinality(String), group_key String, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64, removed_at DateTime('UTC')",
    order: '(group_type, group_key, name)',
    version: 'version',
    more: CHANGES_END,
  },
} as const

/** The statements for what the tables of an earlier version lack. Both tables get the columns of `createPartsTable`. */
export const completeTables = ({ table, changes, isDeletable }: Owners, onCluster: string): readonly string[] => {
  const addColumns = (to: string, columns: readonly string[]): string =>
    `ALTER TABLE ${to}${onCluster} ${columns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`
  return [
    addColumns(table, ["name String MATERIALIZED ''", "value String MATERIALIZED ''"]),
    addColumns(changes, [
      "removed_at DateTime('UTC')",
      "properties String MATERIALIZED ''",
      ...(isDeletable ? ['is_deleted Bool MATERIALIZED false'] : []),
    ]),
    `ALTER TABLE ${changes}${onCluster} MODIFY TTL ${CHANGES_TTL} SETTINGS materialize_ttl_after_modify = 0`,
    `ALTER TABLE ${changes}${onCluster} MODIFY SETTING ${MERGE_SETTING}`,
  ]
}

const IS_LEFT = "removed_at = toDateTime(0, 'UTC')"

const tuple = (names: readonly string[]): string => (names.length === 1 ? names[0]! : `(${names.join(', ')})`)

/** The condition on rows that have changes. It costs little where none has any, and at most some 100 bytes of memory for each that has. */
export const haveChanges = ({ key, changes }: Owners): string =>
  `${tuple(key)} IN (SELECT ${key.join(', ')} FROM ${changes} WHERE ${IS_LEFT})`

/** A person or group whose changes count no more, because all properties were written. */
export interface OutdatedChanges {
  /** The values of its key. */
  readonly columns: readonly string[]
  /** That of the row with all properties. */
  readonly version: number
}

/** Most persons or groups of one statement. */
const MAX_OUTDATED = 1_000

/**
 * The statements by which rows without values take the place of outdated changes. Of two rows with the same version, the one that was inserted
 * last stays. Queries do not need this: it saves them time, and the values are deleted.
 */
export const replaceOutdated = (
  { changes, key, others }: Owners,
  outdated: readonly OutdatedChanges[],
): readonly string[] => {
  const columns = [...key, 'name', ...others, 'version'].join(', ')
  return Array.from({ length: Math.ceil(outdated.length / MAX_OUTDATED) }, (_, n) => {
    const byVersion = new Map<number, string[]>()
    for (const { columns: values, version } of outdated.slice(n * MAX_OUTDATED, (n + 1) * MAX_OUTDATED)) {
      const owners = byVersion.get(version) ?? []
      owners.push(tuple(values.map(quoteString)))
      byVersion.set(version, owners)
    }
    const conditions = Array.from(
      byVersion,
      ([version, owners]) => `(${tuple(key)} IN (${owners.join(', ')}) AND version < ${version})`,
    )
    return `INSERT INTO ${changes} (${columns}, removed_at) SELECT ${columns}, now('UTC') FROM ${changes} FINAL
      WHERE ${IS_LEFT} AND (${conditions.join(' OR ')})`
  })
}

/** The lines of the members that stay (`writeInLines`). */
const KEPT_LINES = String.raw`replaceRegexpAll(base,
        concat('\n,?(?:', arrayStringConcat(arrayMap(name -> regexpQuoteMeta(name), names), '|'), '):[^\n]*'), '') AS lines,
      replaceRegexpOne(substring(lines, 2, length(lines) - 3), '^\n,?', '') AS kept_lines`

/** The members that stay of properties without lines, which an earlier version wrote. */
const KEPT_MEMBERS = String.raw`arrayMap(name -> JSONExtractString(name), names) AS keys,
      arrayFilter(member -> NOT has(keys, member.1), JSONExtractKeysAndValuesRaw(base)) AS members,
      arrayStringConcat(arrayMap(member -> concat(toJSONString(member.1), ':', member.2), members), '\n,') AS kept_members`

/** All properties of a row whose changes are `names` and `added`. */
const FOLDED = String.raw`if(empty(names), base, concat('{\n', arrayStringConcat(
        arrayFilter(part -> part != '', arrayConcat(added, [if(startsWith(base, '{\n'), kept_lines, kept_members)])),
      '\n,'), '\n}'))`

/** Properties as they are without `writeInLines`: JSON has no other line breaks. */
export const withoutLines = (properties: string): string => String.raw`replaceAll(${properties}, '\n', '')`

/** Rows with changes are large: blocks of the default 65,000 rows would need 1 GB and more. */
const SMALL_BLOCKS = 'SETTINGS max_block_size = 256'

/**
 * The statement for a table without rows of its own that has those of both tables, each in the order of the key. So a query that groups them by
 * the key reads them side by side (`optimize_aggregation_in_order`), and needs no more memory for more rows that have changes.
 */
export const createPartsTable = (
  { table, changes, parts, key, others, isDeletable }: Owners,
  { database, onCluster }: { readonly database: string; readonly onCluster: string },
): string => {
  const columns = [...key, 'properties', ...others, ...(isDeletable ? ['is_deleted'] : []), 'name', 'value', 'version']
  return `CREATE TABLE IF NOT EXISTS ${parts}${onCluster} (
    ${columns.map((name) => `${name} ${PART_TYPES[name]}`).join(', ')}
  ) ENGINE = Merge(${quoteString(database)}, '^(${table}|${changes})$')`
}

const PART_TYPES: Readonly<Record<string, string>> = {
  id: 'UUID',
  group_type: 'LowCardinality(String)',
  group_key: 'String',
  properties: 'String',
  created_at: "DateTime64(3, 'UTC')",
  is_identified: 'Bool',
  is_deleted: 'Bool',
  name: 'String',
  value: 'String',
  version: 'UInt64',
}

/**
 * Selects rows with all their properties as they are now.
 *
 * @param condition On their key.
 * @param hasAnalyzer Whether the SELECT may have settings: without the analyzer of version 24.3, a server refuses them to members.
 */
export const selectFolded = (
  { table, parts, key, others, isDeletable }: Owners,
  condition: string,
  hasAnalyzer: boolean,
): string => {
  const isBase = `_table = '${table}'`
  const isHead = `name = '' AND _table != '${table}'`
  return `SELECT ${key.join(', ')}, ${withoutLines('folded')} AS properties, ${others.join(', ')} FROM (
    SELECT ${key.join(', ')}, base,
      ${others.map((name) => `if(new_version >= base_version, new_${name}, base_${name}) AS ${name}`).join(', ')},
      arrayFilter(change -> change.3 >= base_version, changes) AS valid,
      arrayMap(change -> change.1, valid) AS names,
      arrayMap(change -> concat(change.1, ':', change.2), arrayFilter(change -> change.2 != '', valid)) AS added,
      ${KEPT_LINES},
      ${KEPT_MEMBERS},
      ${FOLDED} AS folded
    FROM (
      SELECT ${key.join(', ')}, anyIf(properties, ${isBase}) AS base,
        groupArrayIf((name, value, version), name != '') AS changes,
        ${[...others, 'version'].map((name) => `anyIf(${name}, ${isBase}) AS base_${name}, anyIf(${name}, ${isHead}) AS new_${name}`).join(',\n        ')}
      FROM ${parts} FINAL WHERE ${condition} GROUP BY ${key.join(', ')}
      HAVING max(${isBase})${isDeletable ? ' AND NOT max(is_deleted)' : ''}
      ${hasAnalyzer ? SMALL_BLOCKS : ''}
    )
  )`
}
