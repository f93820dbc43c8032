import type { SelectOptions } from '../query/prepare-select.ts'
import type { RowReader } from '../query/scan-rows.ts'

/** A SELECT with its parameters. */
export interface SelectSql extends Pick<SelectOptions, 'parameters'> {
  readonly sql: string
}

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
