import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { isMistakenPath, parsePropertyPath } from './property-path.ts'
import { hasUnicodeSpaces } from './replace-unicode-spaces.ts'
import { listNodes, textOf } from './syntax-tree.ts'

/** SQL in which every path is one that DuckDB reads as such. */
export interface RepairedSql {
  readonly sql: string
  /** The name of a column of the result as it is without the repair. */
  readonly restoreName: (column: string) => string
}

/** The functions whose second argument is a path or a list of paths. `->` is no function: DuckDB parses it as a lambda. */
const PATH_FUNCTIONS = new Set([
  '->>',
  'json_extract_string',
  'json_extract_path_text',
  'json_extract',
  'json_extract_path',
  'json_type',
  'json_exists',
  'json_value',
  'json_keys',
  'json_array_length',
])

/**
 * Lets SQL name a property such as `$browser` as it is, where DuckDB would refuse it as a JSONPath: writes each such constant as one
 * that DuckDB accepts. Null if the SQL has none.
 */
export const repairPaths = (sql: string, tree: Json): RepairedSql | null => {
  if (hasUnicodeSpaces(sql)) return null
  const bytes = Buffer.from(sql)
  const parts: Buffer[] = []
  const replaced = new Map<string, string>()
  let end = 0
  const constants = listPaths(tree).sort((a, b) => a.offset - b.offset)
  for (const { path, offset } of constants) {
    const literal = Buffer.from(quotePart(path))
    // A string that is written in another form (E'', $$) stays as it is, and so does one that was replaced.
    if (offset < end || !bytes.subarray(offset, offset + literal.length).equals(literal)) continue
    const { jsonPath } = parsePropertyPath(path)!
    replaced.set(quotePart(path), quotePart(jsonPath))
    parts.push(bytes.subarray(end, offset), Buffer.from(quotePart(jsonPath)))
    end = offset + literal.length
  }
  if (replaced.size === 0) return null
  return {
    sql: Buffer.concat([...parts, bytes.subarray(end)]).toString(),
    restoreName: (column) =>
      [...replaced].reduce((name, [original, repaired]) => name.replaceAll(repaired, () => original), column),
  }
}

const quotePart = (text: string): string => `'${text.replaceAll("'", "''")}'`

interface PathConstant {
  readonly path: string
  /** In bytes from the start of the SQL. */
  readonly offset: number
}

/** The constants in the place of a path that DuckDB would refuse. */
const listPaths = (value: Json, paths: PathConstant[] = []): PathConstant[] => {
  if (Array.isArray(value)) for (const part of value) listPaths(part, paths)
  if (!isRecord(value)) return paths
  const place = pathOf(value)
  for (const node of place === undefined ? [] : [place, ...listNodes(place['children'])]) {
    const path = node['class'] === 'CONSTANT' && isRecord(node['value']) ? textOf(node['value']['value']) : ''
    if (isMistakenPath(path)) paths.push({ path, offset: Number(node['query_location']) })
  }
  for (const part of Object.values(value)) listPaths(part, paths)
  return paths
}

/** The expression in the place of a path. */
const pathOf = (node: JsonObject): JsonObject | undefined => {
  if (node['class'] === 'LAMBDA') return isRecord(node['expr']) ? node['expr'] : undefined
  const isCall = node['class'] === 'FUNCTION' && PATH_FUNCTIONS.has(textOf(node['function_name']).toLowerCase())
  return isCall ? listNodes(node['children'])[1] : undefined
}
