import { EXTRACT_FUNCTIONS } from '../event-table/properties-sql.ts'
import { PROPERTY_FUNCTIONS } from './column-use.ts'
import { isMistakenPath } from './property-path.ts'

/**
 * The statements that let SQL name a property such as `$browser` as it is, where DuckDB would refuse it as a JSONPath: macros with
 * the names of DuckDB's functions that write it as one. Empty if the SQL has no such path, or also has paths that are not
 * constant text, which a macro would change.
 */
export const createPathRepairs = (tree: unknown): readonly string[] => {
  const paths: unknown[] = []
  addPaths(tree, paths)
  return paths.every((path) => typeof path === 'string') && paths.some(isMistakenPath) ? MACROS : []
}

const MACROS = [...PROPERTY_FUNCTIONS].map(
  ([name, kind]) =>
    `CREATE OR REPLACE TEMP MACRO "${name}"(json, path) AS
      system.main.${EXTRACT_FUNCTIONS[kind]}(json,
        CASE WHEN regexp_matches(path, '^\\$[^.[*"]') AND NOT contains(path, '"') THEN '$."' || path || '"' ELSE path END)`,
)

/** Adds the path of each call: a string, or anything else if it is not a constant text. */
const addPaths = (value: unknown, paths: unknown[]): void => {
  if (typeof value !== 'object' || value === null) return
  const node = value as Readonly<Record<string, unknown>>
  if (node['class'] === 'FUNCTION' && PROPERTY_FUNCTIONS.has(String(node['function_name']).toLowerCase()))
    paths.push(constantOf((node['children'] as readonly unknown[])[1]))
  for (const part of Object.values(node)) addPaths(part, paths)
}

const constantOf = (node: unknown): unknown => {
  const { class: nodeClass, value } = (node ?? {}) as {
    readonly class?: string
    readonly value?: { readonly value?: unknown }
  }
  return nodeClass === 'CONSTANT' ? value?.value : null
}
