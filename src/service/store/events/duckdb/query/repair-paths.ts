import type { Json } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { EXTRACT_FUNCTIONS } from '../event-table/properties-sql.ts'
import { PROPERTY_FUNCTIONS } from './column-use.ts'
import { isMistakenPath, parsePropertyPath } from './property-path.ts'

/**
 * The statements that let SQL name a property such as `$browser` as it is, where DuckDB would refuse it as a JSONPath: macros with
 * the names of DuckDB's functions that write it as one. Empty if the SQL has no such path, or also has paths that are not
 * constant text, which a macro would change.
 */
export const createPathRepairs = (tree: Json): readonly string[] => {
  const paths: unknown[] = []
  addPaths(tree, paths)
  const texts = paths.filter((path) => typeof path === 'string')
  const mistakenPaths = [...new Set(texts)].filter(isMistakenPath)
  if (texts.length < paths.length || mistakenPaths.length === 0) return []
  const repairs = mistakenPaths.map(
    (path) => `WHEN ${quoteString(path)} THEN ${quoteString(parsePropertyPath(path)!.jsonPath)}`,
  )
  return [...PROPERTY_FUNCTIONS].map(
    ([name, kind]) =>
      `CREATE OR REPLACE TEMP MACRO "${name}"(json, path) AS
        system.main.${EXTRACT_FUNCTIONS[kind]}(json, CASE path ${repairs.join(' ')} ELSE path END)`,
  )
}

/** Adds the path of each call: a string, or anything else if it is not a constant text. */
const addPaths = (value: Json, paths: unknown[]): void => {
  if (Array.isArray(value)) for (const part of value) addPaths(part, paths)
  if (!isRecord(value)) return
  const { class: nodeClass, function_name: name, children } = value
  if (nodeClass === 'FUNCTION' && typeof name === 'string' && PROPERTY_FUNCTIONS.has(name.toLowerCase()))
    paths.push(constantOf(Array.isArray(children) ? children[1] : undefined))
  for (const part of Object.values(value)) addPaths(part, paths)
}

const constantOf = (node: Json | undefined): unknown =>
  isRecord(node) && node['class'] === 'CONSTANT' && isRecord(node['value']) ? node['value']['value'] : null
