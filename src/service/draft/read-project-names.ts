import { MAX_COMPARED_LENGTH } from '../closest-name.ts'
import type { QueryResult } from '../indexer/query-result.ts'
import type { ProjectNames } from './question.ts'

/** Maximum number of names of each kind. */
const MAX_NAMES = 1_000

/**
 * The properties of events are read from the newest of each frequent event: to read all would take minutes, and the newest of all may be
 * of one event.
 */
const MAX_SAMPLED_NAMES = 100
const MAX_SAMPLE_PER_NAME = 100

/** Persons whose properties are read. */
const MAX_SAMPLED_PERSONS = 5_000

const SQL = `WITH event_names AS MATERIALIZED (
    SELECT event AS name, count(*) AS uses FROM events
    WHERE length(event) <= ${MAX_COMPARED_LENGTH} GROUP BY 1 ORDER BY uses DESC, name LIMIT ${MAX_NAMES}
  ), newest AS (
    SELECT max_by(uuid, timestamp, ${MAX_SAMPLE_PER_NAME}) AS uuids FROM events
    WHERE event IN (SELECT name FROM event_names ORDER BY uses DESC, name LIMIT ${MAX_SAMPLED_NAMES}) GROUP BY event
  )
  SELECT kind, name FROM (
    (SELECT 'event' AS kind, name, uses FROM event_names)
    UNION ALL
    (SELECT 'event property', name, count(*) AS uses
      FROM (SELECT unnest(json_keys(properties)) AS name FROM events WHERE uuid IN (SELECT unnest(uuids) FROM newest))
      WHERE length(name) <= ${MAX_COMPARED_LENGTH}
      GROUP BY name ORDER BY uses DESC, name LIMIT ${MAX_NAMES})
    UNION ALL
    (SELECT 'person property', name, count(*) AS uses
      FROM (SELECT unnest(json_keys(properties)) AS name FROM (SELECT properties FROM persons LIMIT ${MAX_SAMPLED_PERSONS}))
      WHERE length(name) <= ${MAX_COMPARED_LENGTH}
      GROUP BY name ORDER BY uses DESC, name LIMIT ${MAX_NAMES})
  ) ORDER BY kind, uses DESC, name`

/**
 * Reads the names of a project's events and properties, with one SELECT of up to 3,000 rows. Longer names than those that can be
 * compared are left out.
 *
 * @param runSelect Its errors are passed on.
 */
export const readProjectNames = async (
  runSelect: (sql: string) => Promise<Pick<QueryResult, 'rows'>>,
): Promise<ProjectNames> => {
  const { rows } = await runSelect(SQL)
  const namesOf = (kind: string): readonly string[] =>
    rows.filter(([each]) => each === kind).map(([, name]) => String(name))
  return {
    events: namesOf('event'),
    eventProperties: namesOf('event property'),
    personProperties: namesOf('person property'),
  }
}
