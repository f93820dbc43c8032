import { PostgresAdapter } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool, StringReference } from 'kysely'
import type { Metadata } from './open.ts'

/**
 * Whether one of the columns contains a text, in any case of the letters A to Z: `lower` leaves all other letters as they are, in SQLite and
 * in columns of PostgreSQL that are compared by bytes.
 */
export const containsText = <Tables, Table extends keyof Tables>(
  metadata: Metadata,
  row: ExpressionBuilder<Tables, Table>,
  columns: readonly StringReference<Tables, Table>[],
  text: string,
): Expression<SqlBool> => {
  const pattern = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  // The same function under two names.
  const find = metadata.getExecutor().adapter instanceof PostgresAdapter ? 'strpos' : 'instr'
  return row.or(
    columns.map((column) => row(row.fn<number>(find, [row.fn('lower', [column]), row.val(pattern)]), '>', 0)),
  )
}
