import type { Json } from '../../../wire/json.ts'

/** A flag, a cohort or a survey as it was given, and what the store knows of it. */
export interface StoredDefinition<Given, Id = number> {
  readonly id: Id
  /** 1 at first, one more with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  readonly given: Given
}

/** Part of a list: at most `limit` items after the first `offset`. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The items of a page, and how many there are on all pages. */
export interface PageOf<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

interface DefinitionRow<Id> {
  readonly id: Id
  readonly version: number
  readonly definition: string
  readonly created_at: number
  readonly updated_at: number
}

/** @typeParam Given what was stored: nothing else writes the table. */
export const storedDefinition = <Given, Id>(row: DefinitionRow<Id>): StoredDefinition<Given, Id> => {
  const given: Json = JSON.parse(row.definition)
  return {
    id: row.id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    given: given as Given,
  }
}
