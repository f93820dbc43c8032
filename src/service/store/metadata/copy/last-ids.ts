import { sql } from 'kysely'
import type { Metadata } from '../open.ts'
import type { TableName } from './table-keys.ts'

/** The highest id that an engine has assigned in a table, perhaps to a row that is deleted. */
export interface LastIds {
  read(metadata: Metadata, table: TableName): Promise<number>
  /** Makes the next id one more. */
  write(metadata: Metadata, table: TableName, id: number): Promise<void>
}

export const sqliteLastIds: LastIds = {
  async read(metadata, table) {
    const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(metadata)
    return rows[0]?.seq ?? 0
  },
  async write(metadata, table, id) {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(metadata)
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${id})`.execute(metadata)
  },
}

const sequenceOf = (table: TableName) => sql`pg_get_serial_sequence(${table}, 'id')`

export const postgresLastIds: LastIds = {
  async read(metadata, table) {
    const { rows } = await sql<{
      last: number | null
    }>`select pg_sequence_last_value(${sequenceOf(table)}) as last`.execute(metadata)
    return rows[0]?.last ?? 0
  },
  async write(metadata, table, id) {
    await sql`select setval(${sequenceOf(table)}, ${Math.max(id, 1)}, ${id > 0})`.execute(metadata)
  },
}
