import type { SelectOptions } from '../query/prepare-select.ts'
import type { RowReader } from '../query/scan-rows.ts'

/** A SELECT with its parameters. */
export interface SelectSql extends Pick<SelectOptions, 'parameters'> {
  readonly sql: string
}

/**
 * Runs a SELECT to its last row. Rejects with `QueryError`.
 *
 * @param parameters See `SelectOptions`.
 */
export type Select = (sql: string, parameters?: SelectOptions['parameters']) => Promise<readonly (readonly unknown[])[]>

/**
 * Runs a SELECT, and computes something from its rows, however many there are. Rejects with `QueryError`.
 *
 * @param parameters See `SelectOptions`.
 */
export type Scan = <Result>(
  sql: string,
  reader: RowReader<Result>,
  parameters?: SelectOptions['parameters'],
) => Promise<Result>
