import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { listNames, listNodes, textOf } from './syntax-tree.ts'

/**
 * The number of expressions that DuckDB adds because it replaces the names of a SELECT's columns by their expressions, as in
 * `SELECT n + n AS a, a + a AS b`. Each such column can double the number.
 */
export const countAliasCopies = (tree: Json): number => {
  if (Array.isArray(tree)) return tree.reduce<number>((sum, part) => sum + countAliasCopies(part), 0)
  if (!isRecord(tree)) return 0
  return (tree['type'] === 'SELECT_NODE' ? countInSelect(tree) : 0) + countAliasCopies(Object.values(tree))
}

const countInSelect = (select: JsonObject): number => {
  /** The expressions in each column, by its name in lower case. */
  const sizes = new Map<string, number>()
  let copies = 0
  const measure = (value: Json): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + measure(part), 0)
    if (!isRecord(value)) return 0
    if (value['class'] === 'COLUMN_REF') {
      const [name = '', ...others] = listNames(value['column_names'])
      const size = others.length === 0 ? (sizes.get(name.toLowerCase()) ?? 1) : 1
      copies += size - 1
      return size
    }
    return (value['class'] === undefined ? 0 : 1) + measure(Object.values(value))
  }
  const { select_list, from_table: _from, cte_map: _ctes, ...clauses } = select
  for (const item of listNodes(select_list)) {
    const size = measure(item)
    const alias = textOf(item['alias']).toLowerCase()
    if (alias !== '') sizes.set(alias, size)
  }
  measure(clauses)
  return copies
}
