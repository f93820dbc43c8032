import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../../../../sql/quote.ts'

/**
 * Numbers of events by name and quarter of an hour, so that a trend of 10 million events takes 4 ms, not 40, if they arrived about in the
 * order of their times. They are derived from `internal.events`: a step in the background counts its oldest rows that are not counted yet, so
 * a commit costs nothing more, and a file of an earlier version catches up by itself. The rows that are not counted are read from
 * `internal.events`.
 *
 * `before_row` is the row of `internal.events` before which a step ended. Rows are never deleted, so their numbers stay.
 */
export const EVENT_COUNTS_TABLE = `CREATE TABLE IF NOT EXISTS internal.event_counts (
    start TIMESTAMPTZ NOT NULL, event VARCHAR NOT NULL, count INTEGER NOT NULL, before_row BIGINT NOT NULL)`

/** The length for which events are counted. In each time zone of today, days begin at a whole quarter of an hour of UTC. */
export const COUNTED_MS: number = 15 * 60_000

const COUNTED_US = COUNTED_MS * 1000

/** Rows of one step, which takes 7 ms; commits wait for it. A trend reads as many rows that are not counted in 2 ms. */
export const COUNT_STEP_ROWS = 122_880

/** The name of the column with numbers of events, which members do not use for one of their own. */
export const COUNT_COLUMN = 'waymark: number of events'

/** Least number of events for each count of a step. With fewer, as after an import in no order of time, counts are hardly shorter than the rows. */
export const MIN_EVENTS_PER_COUNT = 4

/** How many rows of `internal.events` are counted. Counts whose total is another one, which no version writes, are made again. */
export const openEventCounts = async (connection: DuckDBConnection): Promise<number> => {
  const reader = await connection.runAndReadAll(
    `SELECT coalesce(max(before_row), 0)::BIGINT, coalesce(sum(count), 0)::BIGINT, (SELECT count(*) FROM internal.events)
      FROM internal.event_counts`,
  )
  const [beforeRow, counted, stored] = reader.getRows()[0]!.map(Number) as [number, number, number]
  if (beforeRow === counted && counted <= stored) return counted
  await connection.run('DELETE FROM internal.event_counts')
  return 0
}

/** Counts the rows from `first` on, before `last`, in a transaction of its own. Resolves to the number of counts. */
export const countRows = async (connection: DuckDBConnection, first: number, last: number): Promise<number> => {
  const { rowsChanged } = await connection.run(
    // The remainder of a time before 1970 is negative.
    `INSERT INTO internal.event_counts
      SELECT make_timestamptz(time - (time % ${COUNTED_US} + ${COUNTED_US}) % ${COUNTED_US}), event, count(*), ${last}
      FROM (SELECT epoch_us(timestamp) AS time, event FROM internal.events WHERE rowid >= ${first} AND rowid < ${last})
      GROUP BY ALL`,
  )
  return rowsChanged
}

/**
 * A SELECT of numbers of events with the columns timestamp (the start of a quarter of an hour, or later in it), event and `COUNT_COLUMN`.
 *
 * @param countedRows How many rows are counted, or were at an earlier time.
 */
export const selectEventCounts = (countedRows: number): string =>
  `SELECT start AS timestamp, event, count AS ${quoteIdentifier(COUNT_COLUMN)} FROM internal.event_counts WHERE before_row <= ${countedRows}
    UNION ALL SELECT timestamp, event, 1 FROM internal.events WHERE rowid >= ${countedRows}`
