import type { DuckDBConnection } from '@duckdb/node-api'
import type { FileFacts } from './file-facts.ts'
import type { PersonNames } from './person-names.ts'
import { openPersonNames } from './person-names.ts'
import type { PropertyChanges } from './property-changes.ts'
import { openPropertyChanges } from './property-changes.ts'

/** What the views of persons and groups are made of besides their tables. */
export interface PersonViews {
  readonly personNames: PersonNames
  readonly propertyChanges: PropertyChanges
}

/** Creates the views of persons and groups, unless `isBrief`. */
export const openPersonViews = async (
  connection: DuckDBConnection,
  { haveNames, haveChanges }: Pick<FileFacts, 'haveNames' | 'haveChanges'>,
  isBrief: boolean,
): Promise<PersonViews> => {
  const personNames = await openPersonNames(connection, { areStored: haveNames, isBrief })
  const propertyChanges = await openPropertyChanges(connection, { areStored: haveChanges, isBrief })
  return { personNames, propertyChanges }
}
