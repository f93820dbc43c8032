/** @import { SiteEvent } from '../../service/site-load.mjs' */

/**
 * The table as a user of ClickHouse would create it: ordered by day, event and person, properties as JSON text, and columns for the
 * frequent properties that are asked for. The rare property has none.
 */
export const CREATE_TABLE = `
  CREATE TABLE events (
    uuid UUID,
    event LowCardinality(String),
    timestamp DateTime64(3, 'UTC'),
    distinct_id String,
    person_id UUID,
    properties String CODEC(ZSTD(1)),
    "$browser" LowCardinality(String) MATERIALIZED JSONExtractString(properties, '$browser'),
    "$current_url" String MATERIALIZED JSONExtractString(properties, '$current_url') CODEC(ZSTD(1)),
    "$session_id" String MATERIALIZED JSONExtractString(properties, '$session_id') CODEC(ZSTD(1)),
    plan LowCardinality(String) MATERIALIZED JSONExtractString(properties, 'plan')
  )
  ENGINE = MergeTree
  PARTITION BY toYYYYMM(timestamp)
  ORDER BY (toDate(timestamp), event, cityHash64(person_id), cityHash64(uuid))`

/** The columns of a row, in order. */
export const COLUMNS = ['uuid', 'event', 'timestamp', 'distinct_id', 'person_id', 'properties']

/**
 * Writes an event as a line in ClickHouse's format TabSeparated. No two distinct ids of the load's events belong to the same person, and
 * each is a UUID, so that it is the id of the person as well.
 *
 * @param {SiteEvent} event
 */
export const toRow = ({ uuid, event, timestamp, distinct_id: distinctId, properties }) => {
  const time = timestamp.slice(0, -1).replace('T', ' ')
  // JSON text contains neither tabs nor line ends.
  const json = JSON.stringify(properties).replaceAll('\\', '\\\\')
  return `${uuid}\t${event}\t${time}\t${distinctId}\t${distinctId}\t${json}\n`
}
