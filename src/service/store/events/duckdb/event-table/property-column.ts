import type { DuckDBConnection } from '@duckdb/node-api'
import { runTransaction } from '../transaction.ts'
import { countEvents } from './count-events.ts'
import { HOT_PROPERTIES } from '../../hot-properties.ts'

/** A column of `internal.events` that has one property of each event, as text. */
export interface PropertyColumn {
  /** Counts from 0 in the order in which the columns were made; the column's name is `p<number>`. */
  readonly number: number
  readonly property: string
  /** The first rows of the table, up to this number, do not have their value in the column yet (`fill-columns.ts`). */
  readonly unfilledRows: number
}

/** The columns of properties, by property. */
export type PropertyColumns = ReadonlyMap<string, PropertyColumn>

/** The name of a column as SQL. */
export const columnName = ({ number }: Pick<PropertyColumn, 'number'>): string => `p${number}`

export const PROPERTY_COLUMNS_TABLE = `CREATE TABLE IF NOT EXISTS internal.property_columns (
  number INTEGER NOT NULL, property VARCHAR NOT NULL, unfilled_rows BIGINT NOT NULL)`

export const readPropertyColumns = async (connection: DuckDBConnection): Promise<PropertyColumns> => {
  const reader = await connection.runAndReadAll('SELECT number, property, unfilled_rows FROM internal.property_columns')
  const columns = reader
    .getRows()
    .map(([number, property, unfilledRows]) => ({
      number: Number(number),
      property: String(property),
      unfilledRows: Number(unfilledRows),
    }))
    // Not by SQL: that takes a millisecond, and many small projects may be opened in turn.
    .sort((a, b) => a.number - b.number)
  return new Map(columns.map((column) => [column.property, column]))
}

/** Adds columns for properties that have none, in a transaction of its own, and returns all columns. */
export const addPropertyColumns = async (
  connection: DuckDBConnection,
  columns: PropertyColumns,
  properties: readonly string[],
): Promise<PropertyColumns> => {
  const newProperties = properties.filter((property) => !columns.has(property))
  if (newProperties.length === 0) return columns
  let allColumns = columns
  await runTransaction(connection, async () => {
    const rowCount = await countEvents(connection)
    for (const [index, property] of newProperties.entries()) {
      const number = columns.size + index
      await connection.run(`ALTER TABLE internal.events ADD COLUMN ${columnName({ number })} VARCHAR`)
      await connection.run('INSERT INTO internal.property_columns VALUES ($1, $2, $3)', [number, property, rowCount])
    }
    allColumns = await readPropertyColumns(connection)
  })
  return allColumns
}

/** Reads the columns of a file, and adds those of `HOT_PROPERTIES` that are missing. */
export const openPropertyColumns = async (connection: DuckDBConnection): Promise<PropertyColumns> =>
  addPropertyColumns(connection, await readPropertyColumns(connection), HOT_PROPERTIES)
