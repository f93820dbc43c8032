import type { DuckDBConnection } from '@duckdb/node-api'
import type { OpenViewsOptions } from './resolved-views.ts'
import { RESOLVED_PERSONS } from './resolved-views.ts'

/**
 * The properties of large persons and groups that changed since all of them were written (`planWrite`): rows beside `internal.persons` and
 * `internal.groups`, with name and value as JSON; the value is null for a property that was removed. So a change of 50 bytes writes no 512 KiB.
 */
export interface PropertyChanges {
  /** Writes the staged changes of persons, and deletes those of staged and merged persons, in the open transaction. */
  writePersons(): Promise<void>
  /** The same for groups. */
  writeGroups(): Promise<void>
  /** Whether any person or group may have changes. */
  areUsed(): boolean
  /** Call it after the transaction was committed. */
  onCommit(): void
  /** Call it after the transaction was rolled back. */
  onRollback(): void
}

/** Has the columns of `internal.persons`, and those of `foldedSql`. */
export const CURRENT_PERSONS = 'internal.current_persons'

/** Has the columns of `internal.groups`, and those of `foldedSql`. */
export const CURRENT_GROUPS = 'internal.current_groups'

/** The columns of `foldedSql`. */
export const CHANGE_COLUMNS = 'changed, pattern, patch, added'

const OWNERS = {
  persons: {
    view: CURRENT_PERSONS,
    table: 'internal.persons',
    changes: 'internal.person_changes',
    key: ['id'],
    columns: 'id, properties, created_at, is_identified',
  },
  groups: {
    view: CURRENT_GROUPS,
    table: 'internal.groups',
    changes: 'internal.group_changes',
    key: ['group_type', 'group_key'],
    columns: 'group_type, group_key, properties, created_at',
  },
} as const

type Owners = (typeof OWNERS)[keyof typeof OWNERS]

/** Joining even an empty table makes a query slower, so the views do it only where there are changes. */
const createPlainView = ({ view, table, columns }: Owners): string =>
  `CREATE OR REPLACE VIEW ${view} AS SELECT ${columns},
    NULL::JSON AS changed, NULL::VARCHAR AS pattern, NULL::JSON AS patch, NULL::VARCHAR AS added FROM ${table}`

/**
 * `changed` has each changed name with a list of its value, which is empty for a removed one; `pattern` matches the lines of these names
 * (`writeInLines`), `patch` removes them; `added` has the members to add then.
 */
const createFoldingView = ({ view, table, changes, key, columns }: Owners): string =>
  `CREATE OR REPLACE VIEW ${view} AS SELECT ${columns}, ${CHANGE_COLUMNS} FROM ${table} LEFT JOIN (
    SELECT ${key.join(', ')}, ('{' || string_agg(name || ':[' || coalesce(value, '') || ']', ',') || '}')::JSON AS changed,
      '\n,?(?:' || string_agg(regexp_escape(name), '|') || '):[^\n]*' AS pattern,
      ('{' || string_agg(name || ':null', ',') || '}')::JSON AS patch, string_agg(name || ':' || value, ',') AS added
    FROM ${changes} GROUP BY ${key.join(', ')}
  ) USING (${key.join(', ')})`

/** DuckDB's JSON functions would need several times the memory of all properties of 2,048 persons. */
const STRIPPED = `system.main.regexp_replace(properties, pattern, '', 'g')`
const PATCHED = 'system.main.json_merge_patch(properties, patch)::VARCHAR'

/**
 * SQL for all properties of a row of these views, as text. Functions are qualified, because the connection of a query has macros
 * (`query-views.ts`). What an earlier version wrote has no lines.
 */
export const foldedSql = `CASE WHEN changed IS NULL THEN properties::VARCHAR
  WHEN NOT system.main.starts_with(properties, '{\n') THEN
    CASE WHEN added IS NULL THEN ${PATCHED} WHEN ${PATCHED} = '{}' THEN '{' || added || '}'
      ELSE '{' || added || ',' || system.main.substr(${PATCHED}, 2) END
  WHEN added IS NULL THEN system.main.regexp_replace(${STRIPPED}, '^\\{\\n,', '{\n')
  ELSE '{\n' || added || system.main.substr(system.main.regexp_replace(${STRIPPED}, '^\\{\\n"', '{\n,"'), 3) END`

/** What queries read. Without changes, properties are JSON for DuckDB, too: a cast would parse them. */
const selectProperties = (areUsed: boolean): string => (areUsed ? `${foldedSql} AS properties` : 'properties')

const createPublicPersons = (areUsed: boolean): string =>
  `CREATE OR REPLACE VIEW persons AS SELECT id, ${selectProperties(areUsed)}, created_at, is_identified FROM ${RESOLVED_PERSONS}`

const createPublicGroups = (areUsed: boolean): string =>
  `CREATE OR REPLACE VIEW groups AS SELECT group_type, group_key, ${selectProperties(areUsed)}, created_at FROM ${CURRENT_GROUPS}`

/** Tables and views of a new file. */
export const PROPERTY_CHANGES_TABLES: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS internal.person_changes (id UUID NOT NULL, name VARCHAR NOT NULL, value VARCHAR)',
  `CREATE TABLE IF NOT EXISTS internal.group_changes (
    group_type VARCHAR NOT NULL, group_key VARCHAR NOT NULL, name VARCHAR NOT NULL, value VARCHAR)`,
  createPlainView(OWNERS.persons),
  createPlainView(OWNERS.groups),
  createPublicGroups(false),
]

/** Temporary tables for changes, which most files never need. */
export const PROPERTY_CHANGES_STAGING: readonly string[] = [
  'CREATE TEMP TABLE IF NOT EXISTS staged_person_change (id UUID, name VARCHAR, value VARCHAR)',
  'CREATE TEMP TABLE IF NOT EXISTS staged_group_change (group_type VARCHAR, group_key VARCHAR, name VARCHAR, value VARCHAR)',
]

/** `staged_person` has the persons whose properties are written as a whole, and without properties the others. */
const REPLACE_PERSON_CHANGES: readonly string[] = [
  `DELETE FROM internal.person_changes WHERE id IN (
    SELECT id FROM temp.staged_person WHERE properties IS NOT NULL UNION ALL SELECT uuid FROM temp.staged_uuid)`,
  `DELETE FROM internal.person_changes USING temp.staged_person_change AS staged
    WHERE internal.person_changes.id = staged.id AND internal.person_changes.name = staged.name`,
  `INSERT INTO internal.person_changes SELECT id, name, value FROM temp.staged_person_change
    WHERE id NOT IN (SELECT uuid FROM temp.staged_uuid)`,
]

const REPLACE_GROUP_CHANGES: readonly string[] = [
  `DELETE FROM internal.group_changes USING temp.staged_group AS staged WHERE staged.properties IS NOT NULL
    AND internal.group_changes.group_type = staged.group_type AND internal.group_changes.group_key = staged.group_key`,
  `DELETE FROM internal.group_changes USING temp.staged_group_change AS staged
    WHERE internal.group_changes.group_type = staged.group_type AND internal.group_changes.group_key = staged.group_key
      AND internal.group_changes.name = staged.name`,
  'INSERT INTO internal.group_changes FROM temp.staged_group_change',
]

/** Creates the views over the tables of persons and groups. Call it after `openPersonNames`. */
export const openPropertyChanges = async (
  connection: DuckDBConnection,
  { areStored, isBrief }: OpenViewsOptions,
): Promise<PropertyChanges> => {
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await connection.run(statement)
  }
  const createFoldingViews = () =>
    runAll([
      createFoldingView(OWNERS.persons),
      createFoldingView(OWNERS.groups),
      createPublicPersons(true),
      createPublicGroups(true),
    ])
  const createPlainViews = () =>
    runAll([
      createPlainView(OWNERS.persons),
      createPlainView(OWNERS.groups),
      createPublicPersons(false),
      createPublicGroups(false),
    ])
  let areCommitted = areStored
  let areUsed = areCommitted
  if (!isBrief) await (areUsed ? createFoldingViews() : createPlainViews())
  const write = async (statements: readonly string[]): Promise<void> => {
    // Views are of the transaction, too: a query that does not see the first change has views without changes.
    if (!areUsed) await createFoldingViews()
    areUsed = true
    await runAll(statements)
  }
  return {
    writePersons: () => write(REPLACE_PERSON_CHANGES),
    writeGroups: () => write(REPLACE_GROUP_CHANGES),
    areUsed: () => areUsed,
    onCommit() {
      areCommitted = areUsed
    },
    onRollback() {
      areUsed = areCommitted
    },
  }
}
