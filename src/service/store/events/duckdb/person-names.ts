import type { DuckDBConnection } from '@duckdb/node-api'
import { CHANGE_COLUMNS, CURRENT_PERSONS } from './property-changes.ts'
import type { OpenViewsOptions } from './resolved-views.ts'
import { RESOLVED_IDS, RESOLVED_PERSONS } from './resolved-views.ts'

/**
 * The public ids of persons that have another one (`Person.publicId`): the large ones that were merged into smaller ones. All tables have a
 * person's own id, so that such a merge changes one row; the views have the public one.
 */
export interface PersonNames {
  /** Writes the public ids of the staged persons, and removes those of merged ones, in the open transaction. */
  write(): Promise<void>
  /** Whether any person may have a public id of its own. */
  areUsed(): boolean
  /** Call it after the transaction was committed. */
  onCommit(): void
  /** Call it after the transaction was rolled back. */
  onRollback(): void
}

export const PERSON_NAMES_TABLE =
  'CREATE TABLE IF NOT EXISTS internal.person_names (id UUID NOT NULL, public_id UUID NOT NULL)'

const PERSON_COLUMNS = `properties, created_at, is_identified, ${CHANGE_COLUMNS}`

/** The SELECTs behind the views. Joining even an empty table makes a query up to 40 % slower, so the views do it only where there is a name. */
const selectPlain = {
  ids: 'SELECT number, distinct_id, origin_id, person_id FROM internal.distinct_ids',
  persons: `SELECT id, ${PERSON_COLUMNS} FROM ${CURRENT_PERSONS}`,
}

/** Conditions on the ids of persons reach the table: those with a name are apart. */
const selectNamed = {
  ids: `SELECT number, distinct_id, origin_id, coalesce(public_id, person_id) AS person_id
    FROM internal.distinct_ids LEFT JOIN internal.person_names ON id = person_id`,
  persons: `SELECT id, ${PERSON_COLUMNS} FROM ${CURRENT_PERSONS} ANTI JOIN internal.person_names USING (id)
    UNION ALL
    SELECT public_id AS id, ${PERSON_COLUMNS} FROM ${CURRENT_PERSONS} JOIN internal.person_names USING (id)`,
}

const createViews = ({ ids, persons }: typeof selectPlain): readonly string[] => [
  `CREATE OR REPLACE VIEW ${RESOLVED_IDS} AS ${ids}`,
  `CREATE OR REPLACE VIEW ${RESOLVED_PERSONS} AS ${persons}`,
  `CREATE OR REPLACE VIEW person_distinct_ids AS SELECT distinct_id, person_id FROM ${RESOLVED_IDS} WHERE person_id IS NOT NULL`,
]

/** `staged_uuid` has the ids of persons that were merged into others. */
const REPLACE_NAMES: readonly string[] = [
  'DELETE FROM internal.person_names WHERE id IN (SELECT id FROM temp.staged_person UNION ALL SELECT uuid FROM temp.staged_uuid)',
  `INSERT INTO internal.person_names SELECT id, public_id FROM temp.staged_person
    WHERE public_id IS NOT NULL AND id NOT IN (SELECT uuid FROM temp.staged_uuid)`,
]

/** Creates the views with public ids. */
export const openPersonNames = async (
  connection: DuckDBConnection,
  { areStored, isBrief }: OpenViewsOptions,
): Promise<PersonNames> => {
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await connection.run(statement)
  }
  let areCommitted = areStored
  let areUsed = areCommitted
  if (!isBrief) await runAll(createViews(areUsed ? selectNamed : selectPlain))
  return {
    async write() {
      // Views are of the transaction, too: a query that does not see the first name has views without names.
      if (!areUsed) await runAll(createViews(selectNamed))
      areUsed = true
      await runAll(REPLACE_NAMES)
    },
    areUsed: () => areUsed,
    onCommit() {
      areCommitted = areUsed
    },
    onRollback() {
      areUsed = areCommitted
    },
  }
}
