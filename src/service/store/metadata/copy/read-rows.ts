import { sql } from 'kysely'
import type { Metadata } from '../open.ts'
import { TABLE_KEYS } from './table-keys.ts'
import type { TableName } from './table-keys.ts'

/** A row of any table, by column. */
export type Row = Readonly<Record<string, string | number | null>>

/** Rows in memory at once; the properties of a person may have 512 KiB. */
const CHUNK_ROWS = 200

/** Reads all rows of a table in chunks, by its primary key. */
export const readRows = async function* (metadata: Metadata, table: TableName): AsyncGenerator<readonly Row[], void> {
  const keys: readonly string[] = TABLE_KEYS[table]
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  let after = sql``
  for (;;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(CHUNK_ROWS)}`.execute(metadata)
    if (rows.length > 0) yield rows
    if (rows.length < CHUNK_ROWS) return
    const last = rows.at(-1)!
    after = sql`where (${columns}) > (${sql.join(keys.map((key) => last[key]))})`
  }
}
