import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'

/** Functions that read the syntax tree of a SELECT as DuckDB's `json_serialize_sql` writes it. */

/** A string of the tree; empty if there is none. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The nodes of a list; none if it is no list. */
export const listNodes = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** The strings of a list; none if it is no list. */
export const listNames = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []

/** The node of the only statement; null if there are others. */
export const nodeOf = (tree: Json): JsonObject | null => {
  const [statement, ...others] = listNodes(isRecord(tree) ? tree['statements'] : undefined)
  const node = statement?.['node']
  return isRecord(node) && others.length === 0 ? node : null
}

/** Whether a part of the tree is the name of a column. */
export const isReference = (value: Json): boolean => isRecord(value) && value['class'] === 'COLUMN_REF'

/** Whether an expression is `*`, `COLUMNS` or, in ORDER BY, `ALL`. */
export const isStar = (node: JsonObject): boolean => node['class'] === 'STAR'

/** Whether a part of the tree fits, or contains one that does. */
export const contains = (value: Json | undefined, fits: (value: Json) => boolean): boolean =>
  value !== undefined && (fits(value) || partsOf(value).some((part) => contains(part, fits)))

const partsOf = (value: Json): readonly Json[] => {
  if (Array.isArray(value)) return value
  return isRecord(value) ? Object.values(value) : []
}
