import type { StoredEvent } from '../../event-store.ts'
import type { Column } from '../rows/column.ts'
import { packColumn, packSlices } from '../rows/pack-rows.ts'
import type { PackedRows } from '../rows/packed-rows.ts'
import { createEventColumns } from './event-columns.ts'
import { createPropertyCounter } from './frequent-properties.ts'
import type { PropertyPacker } from './pack-properties.ts'
import { createPropertyPacker } from './pack-properties.ts'
import type { PropertyColumns } from './property-column.ts'

/**
 * Events as rows of `internal.events`, but that `distinct_id_number` is an index into `distinctIds`. They have the columns that the packer
 * knows, so they must be written before another column is added.
 */
export interface PackedEvents {
  readonly rows: readonly PackedRows[]
  readonly distinctIds: readonly string[]
}

/** Packs the events of one project. It needs no connection, so it can run in another thread than DuckDB. */
export interface EventPacker {
  /** Throws `UnstorableError` for a malformed uuid, and `RangeError` for properties that are nested too deeply. */
  pack(events: readonly StoredEvent[]): PackedEvents
  /** The properties that are to get a column, most frequent first; none until enough events are counted. */
  takeFrequent(): readonly string[]
  /** Packs later events with these columns. */
  use(columns: PropertyColumns): void
}

/** Room for the strings of an event, at first. */
const BYTES_PER_EVENT = 640

export const createEventPacker = (columns: PropertyColumns): EventPacker => {
  const counter = createPropertyCounter()
  // Of the call of `pack` that runs.
  const indexes = new Map<string, number>()
  const indexOf = (distinctId: string): number => {
    const known = indexes.get(distinctId)
    if (known !== undefined) return known
    indexes.set(distinctId, indexes.size)
    return indexes.size - 1
  }
  let propertyColumns: PropertyColumns
  let eventColumns: readonly Column<StoredEvent>[]
  let packProperties: PropertyPacker
  const use = (newColumns: PropertyColumns): void => {
    propertyColumns = newColumns
    eventColumns = createEventColumns({ layout: propertyColumns.size, indexOf })
    packProperties = createPropertyPacker(propertyColumns, counter)
  }
  use(columns)
  return {
    pack(events) {
      indexes.clear()
      const rows = packSlices(events, BYTES_PER_EVENT, (slice, text) => [
        ...eventColumns.map((column) => packColumn(column, slice, text)),
        ...packProperties(slice, text),
      ])
      return { rows, distinctIds: [...indexes.keys()] }
    },
    takeFrequent: () => counter.takeFrequent(propertyColumns.size),
    use(newColumns) {
      // Columns are only added.
      if (newColumns.size !== propertyColumns.size) use(newColumns)
    },
  }
}
