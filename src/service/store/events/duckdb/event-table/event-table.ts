import type { DuckDBConnection } from '@duckdb/node-api'
import type { StoredEvent } from '../../event-store.ts'
import type { DistinctIds } from '../distinct-ids.ts'
import { appendRows } from '../append-rows.ts'
import { createEventColumns } from './event-columns.ts'
import { fillNextRows } from './fill-columns.ts'
import { createPropertyCounter } from './frequent-properties.ts'
import type { PropertyColumns } from './property-column.ts'
import { addPropertyColumns, openPropertyColumns, readPropertyColumns } from './property-column.ts'

/** The table `internal.events`, whose columns follow the properties that a project sends. */
export interface EventTable {
  /** Writes events into the open transaction. Their distinct ids have numbers (`DistinctIds.add`). */
  append(events: readonly StoredEvent[]): Promise<void>
  /** Adds columns for properties that have become frequent. No transaction may be open. */
  addFrequentColumns(): Promise<void>
  /** Fills some older rows of new columns; false if there is nothing to fill. No transaction may be open. */
  fillNext(): Promise<boolean>
}

/** Opens the table of a connection's file. */
export const openEventTable = async (
  connection: DuckDBConnection,
  { numberOf }: Pick<DistinctIds, 'numberOf'>,
): Promise<EventTable> => {
  const counter = createPropertyCounter()
  let propertyColumns = await openPropertyColumns(connection)
  let eventColumns: ReturnType<typeof createEventColumns>

  const use = (columns: PropertyColumns): void => {
    propertyColumns = columns
    eventColumns = createEventColumns({ propertyColumns, counter, numberOf })
  }
  use(propertyColumns)

  return {
    append: (events) => appendRows(connection, { schema: 'internal', table: 'events' }, eventColumns, events),
    async addFrequentColumns() {
      const frequent = counter.takeFrequent(propertyColumns.size)
      if (frequent.length > 0) use(await addPropertyColumns(connection, propertyColumns, frequent))
    },
    async fillNext() {
      if (!(await fillNextRows(connection, propertyColumns))) return false
      propertyColumns = await readPropertyColumns(connection)
      return true
    },
  }
}
