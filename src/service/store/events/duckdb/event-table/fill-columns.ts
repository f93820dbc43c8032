import type { DuckDBConnection } from '@duckdb/node-api'
import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { runTransaction } from '../transaction.ts'
import type { PropertyColumn, PropertyColumns } from './property-column.ts'
import { columnName } from './property-column.ts'
import { EXTRACT_FUNCTIONS } from './properties-sql.ts'

/** Rows of one step: commits wait for a step. */
const STEP_ROWS = 8192

/** Columns of one step, because an update keeps its values in memory until the next checkpoint. */
const STEP_COLUMNS = 8

/**
 * Copies a property from `rest` into its column, for some rows that are older than the column, newest first. How far it came is
 * committed with the values, so that it can be repeated after a kill. Resolves to false if all columns are filled.
 */
export const fillNextRows = async (connection: DuckDBConnection, columns: PropertyColumns): Promise<boolean> => {
  const unfilled = [...columns.values()].filter(({ unfilledRows }) => unfilledRows > 0)
  const last = Math.max(0, ...unfilled.map(({ unfilledRows }) => unfilledRows))
  if (last === 0) return false
  const first = Math.max(0, Math.ceil(last / STEP_ROWS) - 1) * STEP_ROWS
  const chosen = unfilled.filter(({ unfilledRows }) => unfilledRows === last).slice(0, STEP_COLUMNS)
  await runTransaction(connection, async () => {
    await connection.run(
      `UPDATE internal.events SET ${assignments(chosen)} WHERE rowid >= ${first} AND rowid < ${last}`,
    )
    await connection.run(
      `UPDATE internal.property_columns SET unfilled_rows = ${first} WHERE number IN (${chosen.map(({ number }) => number).join(', ')})`,
    )
  })
  return true
}

/**
 * A row that is newer than the column is not changed. All properties are read by one expression, the same for each column: DuckDB evaluates it
 * once for a row, and so reads the JSON once.
 */
const assignments = (columns: readonly PropertyColumn[]): string => {
  const paths = columns.map(({ property }) => quoteString(writeJsonPointer([property])))
  const texts = `system.main.${EXTRACT_FUNCTIONS.text}(rest, [${paths.join(', ')}])`
  return columns
    .map(columnName)
    .map((name, index) => `${name} = coalesce(${name}, ${texts}[${index + 1}])`)
    .join(', ')
}
