import { quoteIdentifier } from '../../../../sql/quote.ts'
import { HOT_PROPERTIES } from './hot-properties.ts'
import type { PropertyColumns } from './property-column.ts'
import { columnTextSql } from './properties-sql.ts'

/** SQL for the two ids of an event. */
export interface EventIdsSql {
  readonly distinctId: string
  readonly personId: string
}

/** The ids from `internal.distinct_ids`, which is joined for them. */
const JOINED_IDS: EventIdsSql = {
  distinctId: 'ids.distinct_id',
  personId: 'coalesce(ids.person_id, ids.origin_id)',
}

/**
 * The SELECT of the table `events` that queries see.
 *
 * @param properties SQL for the properties.
 * @param ids SQL for the ids without a join. Default: joins them.
 */
export const selectEvents = (
  columns: PropertyColumns,
  properties: string,
  { ids, from = 'internal.events' }: { readonly ids?: EventIdsSql | undefined; readonly from?: string } = {},
): string => {
  const hotColumns = HOT_PROPERTIES.flatMap((property) => {
    const column = columns.get(property)
    return column === undefined ? [] : [`${columnTextSql(column)} AS ${quoteIdentifier(property)}`]
  })
  const { distinctId, personId } = ids ?? JOINED_IDS
  const join = 'JOIN internal.distinct_ids AS ids ON ids.number = distinct_id_number'
  return `SELECT uuid, event, ${distinctId} AS distinct_id, ${personId} AS person_id, timestamp, received_at, historical,
      ${properties} AS properties, ${hotColumns.join(', ')}
    FROM ${from} ${ids === undefined ? join : ''}`
}
