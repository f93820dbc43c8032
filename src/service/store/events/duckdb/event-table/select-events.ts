import { quoteIdentifier } from '../../../../sql/quote.ts'
import { RESOLVED_IDS } from '../resolved-views.ts'
import { HOT_PROPERTIES } from '../../hot-properties.ts'
import type { PropertyColumns } from './property-column.ts'
import { columnTextSql } from './properties-sql.ts'

/** SQL for the two ids of an event. */
export interface EventIdsSql {
  readonly distinctId: string
  readonly personId: string
}

/** The ids from `RESOLVED_IDS`, which is joined for them. */
const JOINED_IDS: EventIdsSql = {
  distinctId: 'ids.distinct_id',
  personId: 'coalesce(ids.person_id, ids.origin_id)',
}

/** The column with the number of a person: the least number of its distinct ids. It is in the SELECTs of the store alone. */
export const PERSON_NUMBER_COLUMN = 'person_number'

/** The table of distinct ids with the numbers of their persons, which takes DuckDB 80 ns for an id. */
const IDS_WITH_PERSON_NUMBERS = `(SELECT *, min(number) OVER (PARTITION BY coalesce(person_id, origin_id)) AS ${PERSON_NUMBER_COLUMN}
  FROM ${RESOLVED_IDS})`

/** What the SELECT of events has beside its columns. */
export interface SelectEventsOptions {
  /** SQL for the ids without a join. Default: joins them. */
  readonly ids?: EventIdsSql | undefined
  /** Default: `internal.events`. */
  readonly from?: string
  /** Whether it has the column `PERSON_NUMBER_COLUMN`, for which ids are joined. */
  readonly hasPersonNumber?: boolean
}

/**
 * The SELECT of the table `events` that queries see.
 *
 * @param properties SQL for the properties.
 */
export const selectEvents = (
  columns: PropertyColumns,
  properties: string,
  { ids, from = 'internal.events', hasPersonNumber = false }: SelectEventsOptions = {},
): string => {
  const hotColumns = HOT_PROPERTIES.flatMap((property) => {
    const column = columns.get(property)
    return column === undefined ? [] : [`${columnTextSql(column)} AS ${quoteIdentifier(property)}`]
  })
  const { distinctId, personId } = ids ?? JOINED_IDS
  const idsTable = hasPersonNumber ? IDS_WITH_PERSON_NUMBERS : RESOLVED_IDS
  const join = `JOIN ${idsTable} AS ids ON ids.number = distinct_id_number`
  return `SELECT uuid, event, ${distinctId} AS distinct_id, ${personId} AS person_id, timestamp, received_at, historical,
      ${properties} AS properties, ${hotColumns.join(', ')}${hasPersonNumber ? `, ids.${PERSON_NUMBER_COLUMN}` : ''}
    FROM ${from} ${ids === undefined ? join : ''}`
}
