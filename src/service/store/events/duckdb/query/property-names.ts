import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { listNames, listNodes, textOf } from './syntax-tree.ts'

/**
 * All names of `properties` in a SELECT, in lower case: its own, and those that inner SELECTs give it (`SELECT properties AS fields`).
 */
export const listPropertyNames = (tree: Json): ReadonlySet<string> => {
  const namesOfColumns = new Map<string, Set<string>>()
  for (const item of listInnerSelects(tree).flatMap((select) => listNodes(select['select_list']))) {
    const [column, alias] = [
      textOf(listNames(item['column_names']).at(-1)).toLowerCase(),
      textOf(item['alias']).toLowerCase(),
    ]
    if (item['class'] !== 'COLUMN_REF' || alias === '') continue
    const names = namesOfColumns.get(column) ?? new Set()
    namesOfColumns.set(column, names.add(alias))
  }
  const names = new Set(['properties'])
  // A name that is added is visited, too: it may be renamed again by any SELECT.
  for (const name of names) for (const alias of namesOfColumns.get(name) ?? []) names.add(alias)
  return names
}

/** All SELECTs but the outermost one. */
const listInnerSelects = (tree: Json): readonly JsonObject[] => listSelects(tree).slice(1)

const listSelects = (value: Json): readonly JsonObject[] => {
  const parts = isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : []
  const inner = parts.flatMap(listSelects)
  return isRecord(value) && value['type'] === 'SELECT_NODE' ? [value, ...inner] : inner
}

/**
 * The name under which an item of a SELECT, or any other expression, is `properties`: its alias, or the name of the column. Null if it is
 * another expression.
 */
export const propertiesItemName = (item: JsonObject, propertyNames: ReadonlySet<string>): string | null => {
  if (item['class'] !== 'COLUMN_REF') return null
  const names = listNames(item['column_names']).map((name) => name.toLowerCase())
  const column = names.at(-1)!
  if (names.length > 2 || !propertyNames.has(column) || (names.length === 2 && propertyNames.has(names[0]!)))
    return null
  return textOf(item['alias']).toLowerCase() || column
}
