import type { DuckDBConnection } from '@duckdb/node-api'
import type { PersonNames } from './person-names.ts'
import { openPersonNames } from './person-names.ts'
import type { PropertyChanges } from './property-changes.ts'
import { openPropertyChanges } from './property-changes.ts'

/** What the views of persons and groups are made of besides their tables. */
export interface PersonViews {
  readonly personNames: PersonNames
  readonly propertyChanges: PropertyChanges
}

/** Creates the views of persons and groups, unless `isBrief`. Asks once for all of them, because many projects may be opened in turn. */
export const openPersonViews = async (connection: DuckDBConnection, isBrief: boolean): Promise<PersonViews> => {
  const reader = await connection.runAndReadAll(
    `SELECT EXISTS (FROM internal.person_names),
      EXISTS (FROM internal.person_changes) OR EXISTS (FROM internal.group_changes)`,
  )
  const [haveNames, haveChanges] = reader.getRows()[0] ?? []
  const personNames = await openPersonNames(connection, { areStored: haveNames === true, isBrief })
  const propertyChanges = await openPropertyChanges(connection, { areStored: haveChanges === true, isBrief })
  return { personNames, propertyChanges }
}
