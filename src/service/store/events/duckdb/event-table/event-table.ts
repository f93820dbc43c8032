import type { DuckDBConnection } from '@duckdb/node-api'
import type { DistinctIds } from '../distinct-ids.ts'
import { appendPackedRows } from '../rows/append-rows.ts'
import type { PackedColumn, PackedRows } from '../rows/packed-rows.ts'
import { countPackedRows } from '../rows/packed-rows.ts'
import { countEvents } from './count-events.ts'
import { DISTINCT_ID_COLUMN } from './event-columns.ts'
import { COUNT_STEP_ROWS, countRows, MIN_EVENTS_PER_COUNT, openEventCounts } from './event-counts.ts'
import { fillNextRows } from './fill-columns.ts'
import type { PackedEvents } from './pack-events.ts'
import type { PropertyColumns } from './property-column.ts'
import { addPropertyColumns, readPropertyColumns } from './property-column.ts'

/** The table `internal.events`, whose columns follow the properties that a project sends. */
export interface EventTable {
  /** The columns of properties. */
  columns(): PropertyColumns
  /** Writes events into the open transaction. Their distinct ids have numbers (`DistinctIds.add`). */
  append(events: PackedEvents): Promise<void>
  /** Adds columns for properties that have become frequent. No transaction may be open. */
  addColumns(properties: readonly string[]): Promise<void>
  /** Fills some older rows of new columns; false if there is nothing to fill. No transaction may be open. */
  fillNext(): Promise<boolean>
  /** Counts some rows by name and time (`event-counts.ts`); false if too few are not counted, or if that does not help. No transaction may be open. */
  countNext(): Promise<boolean>
  /** How many rows are counted. */
  countedRows(): number
}

export interface EventTableOptions {
  /** Rows of one step of `countNext`. Default: 122,880. */
  readonly countStepRows?: number | undefined
  /** Least number of rows for each count of a step; with fewer, no more rows are counted until the next open. Default: 4. */
  readonly minEventsPerCount?: number | undefined
  /** Whether a few events are written and nothing else: events are neither counted nor read. Default: false. */
  readonly isBrief?: boolean
}

/**
 * Opens the table of a connection's file.
 *
 * @param columns that the table has.
 */
export const openEventTable = async (
  connection: DuckDBConnection,
  { numberOf }: Pick<DistinctIds, 'numberOf'>,
  columns: PropertyColumns,
  {
    countStepRows = COUNT_STEP_ROWS,
    minEventsPerCount = MIN_EVENTS_PER_COUNT,
    isBrief = false,
  }: EventTableOptions = {},
): Promise<EventTable> => {
  let propertyColumns = columns
  let countedRows = isBrief ? 0 : await openEventCounts(connection)
  /** Not more rows than these are not counted; those of a transaction that was rolled back are among them. */
  let maxUncounted = Infinity
  /** Whether counts are much fewer than rows. */
  let helps = true

  return {
    columns: () => propertyColumns,
    async append({ rows, distinctIds }) {
      const numbers = distinctIds.map(numberOf)
      await appendPackedRows(
        connection,
        { schema: 'internal', table: 'events' },
        rows.map((packed) => toTableRows(packed, numbers)),
      )
      maxUncounted += countPackedRows(rows)
    },
    async addColumns(properties) {
      propertyColumns = await addPropertyColumns(connection, propertyColumns, properties)
    },
    async fillNext() {
      if (!(await fillNextRows(connection, propertyColumns))) return false
      propertyColumns = await readPropertyColumns(connection)
      return true
    },
    async countNext() {
      if (!helps || maxUncounted < countStepRows) return false
      maxUncounted = (await countEvents(connection)) - countedRows
      if (maxUncounted < countStepRows) return false
      const counts = await countRows(connection, countedRows, countedRows + countStepRows)
      helps = counts * minEventsPerCount <= countStepRows
      countedRows += countStepRows
      maxUncounted -= countStepRows
      return helps
    },
    countedRows: () => countedRows,
  }
}

/** Puts the numbers of distinct ids into packed events. */
const toTableRows = ({ columns, ...rows }: PackedRows, numbers: readonly number[]): PackedRows => ({
  ...rows,
  columns: columns.map((column, index) => (index === DISTINCT_ID_COLUMN ? toNumbers(column, numbers) : column)),
})

const toNumbers = (column: PackedColumn, numbers: readonly number[]): PackedColumn => {
  if (column.type !== 'INTEGER') throw new Error(`Expected indexes of distinct ids, got ${column.type}.`)
  const indexes = new Int32Array(column.bytes.buffer)
  return { ...column, bytes: new Uint8Array(indexes.map((index) => numbers[index]!).buffer) }
}
