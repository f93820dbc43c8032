import type { StoredEvent } from '../../event-store.ts'
import type { Column } from '../rows/column.ts'
import type { PropertyCounter } from './frequent-properties.ts'
import type { PropertyColumn, PropertyColumns } from './property-column.ts'
import { splitProperties } from './split-properties.ts'

/** What the rows of events are made with. */
export interface EventColumnsOptions {
  readonly propertyColumns: PropertyColumns
  readonly counter: PropertyCounter
  /** The index of a distinct id in the list of those that are packed together (`PackedEvents`). */
  readonly indexOf: (distinctId: string) => number
}

/** The place of `distinct_id_number` among the columns. */
export const DISTINCT_ID_COLUMN = 2

/** The columns of `internal.events`, in the order of the table, with an index in place of the number of the distinct id. */
export const createEventColumns = ({
  propertyColumns,
  counter,
  indexOf,
}: EventColumnsOptions): Column<StoredEvent>[] => {
  const splitAll = createSplitter(propertyColumns, counter)
  return [
    { type: 'UUID', values: (events) => events.map(({ uuid }) => uuid) },
    { type: 'VARCHAR', values: (events) => events.map(({ event }) => event) },
    { type: 'INTEGER', values: (events) => events.map(({ distinctId }) => indexOf(distinctId)) },
    { type: 'TIMESTAMPTZ', values: (events) => events.map(({ timestamp }) => timestamp) },
    { type: 'TIMESTAMPTZ', values: (events) => events.map(({ receivedAt }) => receivedAt) },
    { type: 'BOOLEAN', values: (events) => events.map(({ isHistorical }) => isHistorical) },
    { type: 'INTEGER', values: (events) => events.map(() => propertyColumns.size) },
    { type: 'VARCHAR', values: (events) => splitAll(events).shapes },
    { type: 'VARCHAR', values: (events) => splitAll(events).rests },
    ...[...propertyColumns.values()].map(({ number }) => ({
      type: 'VARCHAR' as const,
      values: (events: readonly StoredEvent[]) => splitAll(events).texts[number]!,
    })),
  ]
}

interface SplitEvents {
  readonly shapes: readonly string[]
  readonly rests: readonly string[]
  /** The texts of each column, by its number. */
  readonly texts: readonly (readonly (string | null)[])[]
}

/** Splits a list of events once, although each column asks for it. */
const createSplitter = (
  columns: PropertyColumns,
  counter: PropertyCounter,
): ((events: readonly StoredEvent[]) => SplitEvents) => {
  let lastEvents: readonly StoredEvent[] = []
  let lastSplit: SplitEvents = { shapes: [], rests: [], texts: [] }
  return (events) => {
    if (events === lastEvents) return lastSplit
    const shapes: string[] = []
    const rests: string[] = []
    const texts = Array.from({ length: columns.size }, () => events.map((): string | null => null))
    let row = 0
    const sink = {
      onText: ({ number }: PropertyColumn, text: string) => {
        texts[number]![row] = text
      },
      onOther: counter.addProperty,
    }
    for (const { properties } of events) {
      const { shape, rest } = splitProperties(properties, columns, sink)
      shapes.push(shape)
      rests.push(rest)
      row += 1
    }
    counter.addEvents(events.length)
    lastEvents = events
    lastSplit = { shapes, rests, texts }
    return lastSplit
  }
}
