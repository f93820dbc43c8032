/** Tables that queries may read. */
const TABLES = new Set(['events', 'persons', 'person_distinct_ids', 'groups'])

/** Table functions that depend on nothing but their arguments. */
const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series', 'json_each', 'json_tree'])

/** Names of the catalog and of the store's own tables, which a query must not redefine. */
const CATALOG_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema|staged_)/

/** Scalar functions that reveal or change settings of DuckDB or of the machine. */
const FORBIDDEN_FUNCTIONS = new Set(['current_setting', 'getenv', 'getvariable', 'write_log', 'current_database'])

/**
 * Searches the syntax tree of a SELECT, as written by DuckDB's `json_serialize_sql`, for names that queries may not use.
 * Returns the first one as a clause for an error message, or null. DuckDB has no permissions per table, and its catalog
 * functions reveal file paths. Tables and table functions therefore pass only if they are known to be harmless.
 */
export const findForbiddenName = (tree: unknown, localTables: ReadonlySet<string> = new Set()): string | null => {
  if (Array.isArray(tree)) {
    for (const item of tree) {
      const forbidden = findForbiddenName(item, localTables)
      if (forbidden !== null) return forbidden
    }
    return null
  }
  if (typeof tree !== 'object' || tree === null) return null
  const { cte_map: ctes, ...node } = tree as Record<string, unknown>
  const visibleTables = addLocalTables(ctes, localTables)
  if (typeof visibleTables === 'string') return visibleTables
  const forbidden = checkNode(node, visibleTables)
  if (forbidden !== null || node['type'] !== 'RECURSIVE_CTE_NODE')
    return forbidden ?? findForbiddenName(Object.values(node), visibleTables)
  // A recursive CTE defines its name only for its second part; in the first part it still means the table in the catalog.
  const { right, ...otherFields } = node
  const recursiveTables = new Set([...visibleTables, String(node['cte_name']).toLowerCase()])
  return findForbiddenName(Object.values(otherFields), visibleTables) ?? findForbiddenName(right, recursiveTables)
}

const checkNode = (node: Record<string, unknown>, localTables: ReadonlySet<string>): string | null => {
  if (node['type'] === 'BASE_TABLE') {
    const name = String(node['table_name'])
    const isQualified = node['catalog_name'] !== '' || !['', 'main'].includes(String(node['schema_name']))
    const isAllowed =
      TABLES.has(name.toLowerCase()) || (node['schema_name'] === '' && localTables.has(name.toLowerCase()))
    if (isQualified || !isAllowed) return `the table "${qualifiedName(node)}"`
  }
  if (node['type'] === 'TABLE_FUNCTION') {
    const name = functionName(node['function'])
    if (!TABLE_FUNCTIONS.has(name)) return `the table function "${name}"`
  }
  if (node['type'] === 'SHOW_REF') return 'the catalog'
  if (node['class'] === 'FUNCTION' && FORBIDDEN_FUNCTIONS.has(functionName(node))) {
    return `the function "${functionName(node)}"`
  }
  return null
}

/** The `WITH` parts of a node: names and syntax trees. */
interface CteMap {
  readonly map?: readonly { readonly key: string; readonly value: unknown }[]
}

/**
 * Adds the names of a node's `WITH` parts to the outer names, or returns the first forbidden name in one of them. Each part
 * sees only the names before it: its own name and later names would still mean tables of the catalog.
 */
const addLocalTables = (ctes: unknown, outer: ReadonlySet<string>): ReadonlySet<string> | string => {
  const parts = (ctes as CteMap | undefined)?.map
  const localTables = new Set(outer)
  for (const { key, value } of parts ?? []) {
    const name = key.toLowerCase()
    if (CATALOG_NAME.test(name)) return `or define a table named "${key}"`
    const forbidden = findForbiddenName(value, localTables)
    if (forbidden !== null) return forbidden
    localTables.add(name)
  }
  return localTables
}

const qualifiedName = (node: Record<string, unknown>): string =>
  [node['catalog_name'], node['schema_name'], node['table_name']].filter((part) => part !== '').join('.')

const functionName = (node: unknown): string =>
  String((node as Record<string, unknown> | null)?.['function_name']).toLowerCase()
