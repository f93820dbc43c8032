import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { StoredSize } from '../../persons/person.ts'
import { entryBytes } from '../../persons/property-draft.ts'
import type { PropertyWrite } from '../../persons/plan-write.ts'
import type { Metadata } from './open.ts'
import { splitIntoChunks } from './split-into-chunks.ts'

// Large properties of persons and groups are a base (the column `properties`) and rows of what changed since, in a table beside it. A row
// has the name and value as JSON, so that every string is stored as it is; the value is null for a property that was removed.

/** Where the changes of a table are. */
interface ChangesTable {
  readonly owners: 'persons' | 'groups'
  readonly changes: 'person_changes' | 'group_changes'
  /** The key of an owner, and its columns in the table of changes. */
  readonly key: readonly (readonly [column: string, changesColumn: string])[]
}

export const PERSON_CHANGES: ChangesTable = {
  owners: 'persons',
  changes: 'person_changes',
  key: [
    ['project_id', 'project_id'],
    ['id', 'person_id'],
  ],
}

export const GROUP_CHANGES: ChangesTable = {
  owners: 'groups',
  changes: 'group_changes',
  key: [
    ['project_id', 'project_id'],
    ['group_type', 'group_type'],
    ['group_key', 'group_key'],
  ],
}

/** The key of an owner, by column. */
export type RowKey = Readonly<Record<string, string | number>>

/**
 * What a SELECT of owners reads beside `properties`, for `foldChanges`: in the same statement, so that nobody writes between the two. Null
 * for most, which costs nothing.
 *
 * @param alias of the owners' table. Default: none.
 */
export const selectChanges = (table: ChangesTable, alias: string = table.owners): RawBuilder<string | null> => {
  const isOfOwner = table.key.map(
    ([column, changesColumn]) => sql`changed.${sql.ref(changesColumn)} = ${sql.ref(`${alias}.${column}`)}`,
  )
  return sql<string | null>`case when ${sql.ref(`${alias}.has_changes`)} = 1 then (
    select '{"set":{' || coalesce(string_agg(changed.name || ':' || changed.value, ','), '') || '},"removed":['
      || coalesce(string_agg(case when changed.value is null then changed.name end, ','), '') || ']}'
    from ${sql.table(table.changes)} as changed where ${sql.join(isOfOwner, sql` and `)}) end`
}

/**
 * The properties of a row, and how they are stored.
 *
 * @param changes `selectChanges` of the row.
 */
export const foldChanges = (
  properties: string,
  changes: string | null,
): { readonly properties: JsonObject; readonly stored: StoredSize } => {
  const base: JsonObject = JSON.parse(properties)
  const baseBytes = Buffer.byteLength(properties)
  if (changes === null) return { properties: base, stored: { bytes: baseBytes, baseBytes, changeBytes: 0 } }
  const { set, removed }: { set: JsonObject; removed: readonly string[] } = JSON.parse(changes)
  // A map, because a property may be named `__proto__`.
  const values = new Map(Object.entries(base))
  let bytes = baseBytes
  const remove = (name: string): void => {
    const value = values.get(name)
    if (value === undefined) return
    bytes -= entryBytes(name, value)
    values.delete(name)
  }
  for (const name of removed) remove(name)
  for (const [name, value] of Object.entries(set)) {
    remove(name)
    bytes += entryBytes(name, value)
    values.set(name, value)
  }
  const stored = { bytes, baseBytes, changeBytes: Buffer.byteLength(changes) }
  return { properties: Object.fromEntries<Json>(values), stored }
}

/** Sorts owners by how their properties are written; `whole` has those that are `folded`, too. */
export const sortWrites = <Item>(
  items: readonly Item[],
  writeOf: (item: Item) => PropertyWrite | undefined,
): {
  readonly whole: readonly Item[]
  readonly folded: readonly Item[]
  readonly changed: readonly { readonly item: Item; readonly names: ReadonlySet<string> }[]
} => {
  const whole: Item[] = []
  const folded: Item[] = []
  const changed: { item: Item; names: ReadonlySet<string> }[] = []
  for (const item of items) {
    const write = writeOf(item) ?? 'whole'
    if (typeof write === 'string') whole.push(item)
    else changed.push({ item, names: write })
    if (write === 'folded') folded.push(item)
  }
  return { whole, folded, changed }
}

/** Call it for an owner whose properties are written as a whole. */
export const deleteChanges = async (
  transaction: Metadata,
  { owners, changes, key: columns }: ChangesTable,
  key: RowKey,
): Promise<void> => {
  const equals = (place: 0 | 1) =>
    sql.join(
      columns.map((names) => sql`${sql.ref(names[place])} = ${key[names[0]]}`),
      sql` and `,
    )
  await sql`delete from ${sql.table(changes)} where ${equals(1)}`.execute(transaction)
  await sql`update ${sql.table(owners)} set has_changes = null where ${equals(0)}`.execute(transaction)
}

/** An owner of which a few properties are written. */
export interface ChangedOwner {
  readonly key: RowKey
  /** The columns besides `properties`. */
  readonly columns: Readonly<Record<string, string | number | null>>
  readonly properties: JsonObject
  /** The properties to write. */
  readonly names: ReadonlySet<string>
}

/** Writes properties beside the base of their owners. Call it inside a transaction. */
export const saveChanges = async (
  transaction: Metadata,
  { owners, changes, key: keyColumns }: ChangesTable,
  changed: readonly ChangedOwner[],
): Promise<void> => {
  for (const { key, columns } of changed) {
    const isOwner = keyColumns.map(([column]) => sql`${sql.ref(`${owners}.${column}`)} = ${key[column]}`)
    const isChange = keyColumns.map(([column, changesColumn]) => sql`${sql.ref(changesColumn)} = ${key[column]}`)
    // Those of an owner that was lost with a damaged page, and came back.
    await sql`delete from ${sql.table(changes)} where ${sql.join(isChange, sql` and `)} and exists (
      select 1 from ${sql.table(owners)} where ${sql.join(isOwner, sql` and `)} and has_changes is null)`.execute(
      transaction,
    )
    const entries = Object.entries({ ...columns, has_changes: 1 })
    const assigned = entries.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    // To write an equal row costs as much as its properties.
    const differs = entries.map(([column, value]) => sql`${sql.ref(column)} is distinct from ${value}`)
    await sql`update ${sql.table(owners)} set ${sql.join(assigned)}
      where ${sql.join(isOwner, sql` and `)} and (${sql.join(differs, sql` or `)})`.execute(transaction)
  }
  const rows = changed.flatMap(({ key, properties, names }) => {
    const owner = keyColumns.map(([column]) => key[column])
    return Array.from(names, (name) => [
      ...owner,
      JSON.stringify(name),
      Object.hasOwn(properties, name) ? JSON.stringify(properties[name]) : null,
    ])
  })
  const key = sql.join([...keyColumns.map(([, column]) => sql.ref(column)), sql.ref('name')])
  for (const chunk of splitIntoChunks(rows))
    await sql`insert into ${sql.table(changes)} (${key}, value)
      values ${sql.join(chunk.map((row) => sql`(${sql.join(row)})`))}
      on conflict (${key}) do update set value = excluded.value`.execute(transaction)
}
