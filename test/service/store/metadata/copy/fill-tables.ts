import { TABLE_KEYS, TABLE_NAMES } from '../../../../../src/service/store/metadata/copy/table-keys.ts'
import type { TableName } from '../../../../../src/service/store/metadata/copy/table-keys.ts'
import type { Row } from '../../../../../src/service/store/metadata/copy/read-rows.ts'
import type { Metadata } from '../../../../../src/service/store/metadata/open.ts'

/** The column that a column refers to, by name or by table and name. */
const PARENTS: Readonly<Record<string, readonly [table: TableName, column: string]>> = {
  project_id: ['projects', 'id'],
  organization_id: ['organizations', 'id'],
  user_id: ['users', 'id'],
  created_by: ['users', 'id'],
  last_modified_by: ['users', 'id'],
  membership_id: ['organization_members', 'id'],
  flag_id: ['flags', 'id'],
  dashboard_id: ['dashboards', 'id'],
  insight_id: ['insights', 'id'],
  'person_changes.person_id': ['persons', 'id'],
  'group_changes.group_type': ['groups', 'group_type'],
  'group_changes.group_key': ['groups', 'group_key'],
}

/** Text that engines store, compare or order differently. */
const TEXTS = ['', 'é', 'e\u0301', 'Z', 'a', '\0', '\uE000', '\uE0000', '😀', "'); --", '\\', '{"a":"\\u0000"}', ' x ']

/** Fills every table with rows; row `n` refers to the rows `n` of other tables. Returns them by table. */
export const fillTables = async (
  metadata: Metadata,
  { count, nodeId }: { readonly count: number; readonly nodeId: string },
): Promise<Readonly<Record<TableName, readonly Row[]>>> => {
  const tables = await metadata.introspection.getTables()
  const filled = {} as Record<TableName, readonly Row[]>
  for (const table of TABLE_NAMES) {
    const columns = tables.find(({ name }) => name === table)!.columns
    // SQLite calls keys of text nullable.
    const keys: readonly string[] = TABLE_KEYS[table]
    const createRow = (n: number): Row =>
      Object.fromEntries(
        columns.map(({ name, dataType, ...column }): [string, string | number | null] => {
          const parent = PARENTS[`${table}.${name}`] ?? PARENTS[name]
          const isNullable = column.isNullable && !keys.includes(name)
          if (name === 'node_id') return [name, nodeId]
          if (parent !== undefined) return [name, isNullable && n % 3 === 0 ? null : filled[parent[0]][n]![parent[1]]!]
          if (isNullable && n % 3 === 1) return [name, null]
          if (/text|char/i.test(dataType)) return [name, `${TEXTS[n % TEXTS.length]}${name}${n}`]
          return [name, name === 'id' ? n + 5 : n % 2 === 0 ? Number.MAX_SAFE_INTEGER - n : n]
        }),
      )
    filled[table] = Array.from({ length: table === 'inbox_mark' ? 1 : count }, (_, n) => createRow(n))
    await metadata.deleteFrom(table).execute()
    for (const row of filled[table]) await metadata.insertInto(table).values(row).execute()
  }
  return filled
}

/** Reads all rows of every table, in the order of their JSON. */
export const readTables = async (metadata: Metadata): Promise<Readonly<Record<TableName, readonly Row[]>>> => {
  const read = {} as Record<TableName, readonly Row[]>
  for (const table of TABLE_NAMES) read[table] = inOrder(await metadata.selectFrom(table).selectAll().execute())
  return read
}

export const inOrder = (rows: readonly Row[]): readonly Row[] => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const keyOf = (row: Row): string => JSON.stringify(row, Object.keys(row).sort())
