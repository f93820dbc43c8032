import type { Work } from '../../../../work-in-chunks.ts'

/** Computes something from the rows of a SELECT while it runs. */
export interface RowReader<Result> {
  readonly read: (row: readonly unknown[]) => Work
  /** Called after the last row. */
  readonly end: () => Work<Result>
}

/** Runs a SELECT, and computes something from its rows, however many there are. Rejects with `QueryError`. */
export type Scan = <Result>(sql: string, reader: RowReader<Result>) => Promise<Result>
