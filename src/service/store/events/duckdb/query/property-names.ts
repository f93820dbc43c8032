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

/** Whether an expression is `properties` by one of its names. */
export const isProperties = (expression: JsonObject, propertyNames: ReadonlySet<string>): boolean => {
  if (expression['class'] !== 'COLUMN_REF') return false
  const names = listNames(expression['column_names']).map((name) => name.toLowerCase())
  return names.length <= 2 && propertyNames.has(names.at(-1)!) && !(names.length === 2 && propertyNames.has(names[0]!))
}
