/** What the changes of persons or groups are joined with. */
interface Owners {
  readonly table: string
  readonly changes: string
  readonly key: readonly string[]
  /** The columns that each change writes, too. */
  readonly others: readonly string[]
}

/** Persons with the changes of `CHANGE_TABLES`. */
export const CHANGED_PERSONS: Owners = {
  table: 'stored_persons',
  changes: 'stored_person_changes',
  key: ['id'],
  others: ['created_at', 'is_identified'],
}

/** Groups with the changes of `CHANGE_TABLES`. */
export const CHANGED_GROUPS: Owners = {
  table: 'stored_groups',
  changes: 'stored_group_changes',
  key: ['group_type', 'group_key'],
  others: ['created_at'],
}

/**
 * The properties of large persons and groups that changed since all of them were written (`planWrite`): rows with name and value as JSON; the
 * value is empty for a property that was removed. The row without a name has the other columns. So a change of 50 bytes writes no 512 KiB.
 *
 * A change counts while its version is not below that of the row with all properties, which has it otherwise. So no change is ever deleted.
 */
export const CHANGE_TABLES = {
  stored_person_changes: {
    columns:
      "id UUID, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), is_identified Bool, version UInt64",
    order: '(id, name)',
    version: 'version',
  },
  stored_group_changes: {
    columns:
      "group_type LowCardinality(String), group_key String, name String, value String CODEC(ZSTD(1)), created_at DateTime64(3, 'UTC'), version UInt64",
    order: '(group_type, group_key, name)',
    version: 'version',
  },
} as const

/** The condition on rows that have changes. It costs little where none has any. */
export const haveChanges = ({ key, changes }: Owners): string => {
  const names = key.join(', ')
  return `${key.length === 1 ? names : `(${names})`} IN (SELECT ${names} FROM ${changes})`
}

/** The lines of the members that stay (`writeInLines`). */
const KEPT_LINES = String.raw`replaceRegexpAll(properties,
        concat('\n,?(?:', arrayStringConcat(arrayMap(name -> regexpQuoteMeta(name), names), '|'), '):[^\n]*'), '') AS lines,
      replaceRegexpOne(substring(lines, 2, length(lines) - 3), '^\n,?', '') AS kept_lines`

/** The members that stay of properties without lines, which an earlier version wrote. */
const KEPT_MEMBERS = String.raw`arrayMap(name -> JSONExtractString(name), names) AS keys,
      arrayFilter(member -> NOT has(keys, member.1), JSONExtractKeysAndValuesRaw(properties)) AS members,
      arrayStringConcat(arrayMap(member -> concat(toJSONString(member.1), ':', member.2), members), '\n,') AS kept_members`

/** All properties of a row whose changes are `names` and `added`. */
const FOLDED = String.raw`if(empty(names), properties, concat('{\n', arrayStringConcat(
        arrayFilter(part -> part != '', arrayConcat(added, [if(startsWith(properties, '{\n'), kept_lines, kept_members)])),
      '\n,'), '\n}'))`

/** Selects rows with all their properties as they are now. */
export const selectFolded = ({ table, changes, key, others }: Owners, condition: string): string =>
  `SELECT ${key.join(', ')}, folded AS properties, ${others.join(', ')} FROM (
    SELECT ${[...key, ...others].join(', ')},
      arrayMap(change -> change.1, valid) AS names,
      arrayMap(change -> concat(change.1, ':', change.2), arrayFilter(change -> change.2 != '', valid)) AS added,
      ${KEPT_LINES},
      ${KEPT_MEMBERS},
      ${FOLDED} AS folded
    FROM (
      SELECT ${key.map((name) => `stored.${name} AS ${name}`).join(', ')}, stored.properties AS properties,
        arrayFilter(change -> change.3 >= stored.version, changed.rows) AS valid,
        changed.is_changed AND changed.new_version >= stored.version AS is_newer,
        ${others.map((name) => `if(is_newer, changed.new_${name}, stored.${name}) AS ${name}`).join(', ')}
      FROM (SELECT * FROM ${table} FINAL WHERE ${condition}) AS stored
      LEFT ANY JOIN (
        SELECT ${key.join(', ')}, groupArrayIf((name, value, version), name != '') AS rows, max(name = '') AS is_changed,
          ${[...others, 'version'].map((name) => `anyIf(${name}, name = '') AS new_${name}`).join(', ')}
        FROM ${changes} FINAL GROUP BY ${key.join(', ')}
      ) AS changed ON ${key.map((name) => `changed.${name} = stored.${name}`).join(' AND ')}
    )
  )`
