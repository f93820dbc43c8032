import type { StoredEvent } from '../../event-store.ts'
import type { Column } from '../rows/column.ts'

/** What the rows of events are made with. */
export interface EventColumnsOptions {
  /** The number of columns of properties. */
  readonly layout: number
  /** The index of a distinct id in the list of those that are packed together (`PackedEvents`). */
  readonly indexOf: (distinctId: string) => number
}

/** The place of `distinct_id_number` among the columns. */
export const DISTINCT_ID_COLUMN = 2

/** The columns of `internal.events` before those of properties, with an index in place of the number of the distinct id. */
export const createEventColumns = ({ layout, indexOf }: EventColumnsOptions): Column<StoredEvent>[] => [
  { type: 'UUID', values: (events) => events.map(({ uuid }) => uuid) },
  { type: 'VARCHAR', values: (events) => events.map(({ event }) => event) },
  { type: 'INTEGER', values: (events) => events.map(({ distinctId }) => indexOf(distinctId)) },
  { type: 'TIMESTAMPTZ', values: (events) => events.map(({ timestamp }) => timestamp) },
  { type: 'TIMESTAMPTZ', values: (events) => events.map(({ receivedAt }) => receivedAt) },
  { type: 'BOOLEAN', values: (events) => events.map(({ isHistorical }) => isHistorical) },
  { type: 'INTEGER', values: (events) => events.map(() => layout) },
]
