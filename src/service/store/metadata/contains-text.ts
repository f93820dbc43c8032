import type { Expression, ExpressionBuilder, SqlBool, StringReference } from 'kysely'

/**
 * Whether one of the columns contains a text, in any case of the letters A to Z: `lower` of SQLite leaves all other letters as they
 * are.
 */
export const containsText = <Tables, Table extends keyof Tables>(
  row: ExpressionBuilder<Tables, Table>,
  columns: readonly StringReference<Tables, Table>[],
  text: string,
): Expression<SqlBool> => {
  const pattern = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return row.or(
    columns.map((column) => row(row.fn<number>('instr', [row.fn('lower', [column]), row.val(pattern)]), '>', 0)),
  )
}
