import { MAX_COMPARED_LENGTH } from '../closest-name.ts'
import type { QueryResult } from '../indexer/indexer.ts'
import type { ProjectNames } from './question.ts'

/** Maximum number of names of each kind. */
const MAX_NAMES = 1_000

/** The properties are read from this many of the newest events, and of the persons: to read all would take minutes. */
const MAX_SAMPLE = 5_000

const SQL = `SELECT kind, name FROM (
    (SELECT 'event' AS kind, event AS name, count(*) AS uses FROM events
      WHERE length(event) <= ${MAX_COMPARED_LENGTH} GROUP BY 2 ORDER BY uses DESC, name LIMIT ${MAX_NAMES})
    UNION ALL
    (SELECT 'event property', name, count(*) AS uses
      FROM (SELECT unnest(json_keys(properties)) AS name FROM (SELECT properties FROM events ORDER BY timestamp DESC LIMIT ${MAX_SAMPLE}))
      WHERE length(name) <= ${MAX_COMPARED_LENGTH}
      GROUP BY name ORDER BY uses DESC, name LIMIT ${MAX_NAMES})
    UNION ALL
    (SELECT 'person property', name, count(*) AS uses
      FROM (SELECT unnest(json_keys(properties)) AS name FROM (SELECT properties FROM persons LIMIT ${MAX_SAMPLE}))
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
