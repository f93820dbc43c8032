import { toPlainName } from '../../closest-name.ts'
import type { ObjectShape } from '../../fields/field-shape.ts'

const split = (names: string): string[] => names.split(', ')

/** Fields whose values are not looked at. */
export const listFields = (names: string): ObjectShape['fields'] =>
  Object.fromEntries(split(names).map((name) => [name, null]))

/** Fields of the protocol without an effect here. */
export const createIgnored = (...lists: readonly string[]): NonNullable<ObjectShape['isIgnored']> => {
  const names = new Set(lists.flatMap(split))
  return (name) => names.has(name)
}

/** @param table What to write, to the names that authors use for it. */
export const createSynonyms = (table: Readonly<Record<string, string>>): NonNullable<ObjectShape['synonyms']> =>
  new Map(Object.entries(table).flatMap(([meant, names]) => split(names).map((name) => [toPlainName(name), meant])))
