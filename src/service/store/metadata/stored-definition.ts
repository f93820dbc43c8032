import type { Json } from '../../../wire/json.ts'

/** The definition of a flag, cohort or survey, with the fields that the store adds. */
export interface StoredDefinition<Definition, Id = number> {
  readonly id: Id
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  readonly definition: Definition
}

interface DefinitionRow<Id> {
  readonly id: Id
  readonly version: number
  readonly definition: string
  readonly created_at: number
  readonly updated_at: number
}

/**
 * Parses a row of definitions.
 *
 * @typeParam Definition type of the stored definition. It is not checked, because only the store writes the table.
 */
export const parseDefinitionRow = <Definition, Id>(row: DefinitionRow<Id>): StoredDefinition<Definition, Id> => {
  const definition: Json = JSON.parse(row.definition)
  return {
    id: row.id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    definition: definition as Definition,
  }
}
