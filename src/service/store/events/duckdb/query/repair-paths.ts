import type { Json } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { EXTRACT_FUNCTIONS } from '../event-table/properties-sql.ts'
import { PROPERTY_FUNCTIONS } from './column-use.ts'
import { isMistakenPath, parsePropertyPath } from './property-path.ts'
import { listNodes, textOf } from './syntax-tree.ts'

/**
 * The statements that let SQL name a property such as `$browser` as it is, where DuckDB would refuse it as a JSONPath: macros with
 * the names of DuckDB's functions that write it as one. Empty if the SQL has no such path. DuckDB cannot bind the macros to a path
 * that is not text, or beside `->`.
 */
export const createPathRepairs = (tree: Json): readonly string[] => {
  const repairs = [...listPaths(tree)]
    .filter(isMistakenPath)
    .map((path) => `WHEN ${quoteString(path)} THEN ${quoteString(parsePropertyPath(path)!.jsonPath)}`)
  if (repairs.length === 0) return []
  return [...PROPERTY_FUNCTIONS].map(
    ([name, kind]) =>
      `CREATE OR REPLACE TEMP MACRO "${name}"(json, path) AS
        system.main.${EXTRACT_FUNCTIONS[kind]}(json, CASE path ${repairs.join(' ')} ELSE path END)`,
  )
}

/** The constant paths of all calls. */
const listPaths = (value: Json, paths: Set<string> = new Set()): ReadonlySet<string> => {
  if (Array.isArray(value)) for (const part of value) listPaths(part, paths)
  if (!isRecord(value)) return paths
  if (value['class'] === 'FUNCTION' && PROPERTY_FUNCTIONS.has(textOf(value['function_name']).toLowerCase())) {
    const path = listNodes(value['children'])[1]
    if (path?.['class'] === 'CONSTANT' && isRecord(path['value'])) paths.add(textOf(path['value']['value']))
  }
  for (const part of Object.values(value)) listPaths(part, paths)
  return paths
}
