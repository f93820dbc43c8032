import { quoteIdentifier } from '../quote.ts'
import { HOT_PROPERTIES } from './hot-properties.ts'
import type { PropertyColumns } from './property-column.ts'
import { columnTextSql, propertiesSql } from './properties-sql.ts'

/** SQL for the columns of the view `events` that are not simply columns of `internal.events`. */
export interface EventsViewColumns {
  readonly properties: string
  readonly distinctId: string
  readonly personId: string
}

/** The columns that come from `internal.distinct_ids`, which must be joined. */
export const JOINED_IDS = {
  distinctId: 'ids.distinct_id',
  personId: 'coalesce(ids.person_id, ids.origin_id)',
}

/** The SELECT of the view `events`. */
export const selectEvents = (
  columns: PropertyColumns,
  { properties, distinctId, personId }: EventsViewColumns,
  isJoined: boolean,
): string => {
  const hotColumns = HOT_PROPERTIES.flatMap((property) => {
    const column = columns.get(property)
    return column === undefined ? [] : [`${columnTextSql(column)} AS ${quoteIdentifier(property)}`]
  })
  const join = `JOIN internal.distinct_ids AS ids ON ids.number = distinct_id_number`
  return `SELECT uuid, event, ${distinctId} AS distinct_id, ${personId} AS person_id, timestamp, received_at, historical,
      ${properties} AS properties, ${hotColumns.join(', ')}
    FROM internal.events ${isJoined ? join : ''}`
}

/** The view for SQL that may use all columns in any way. */
export const createEventsView = (columns: PropertyColumns): string =>
  `CREATE OR REPLACE VIEW main.events AS
    ${selectEvents(columns, { ...JOINED_IDS, properties: propertiesSql(columns) }, true)}`
