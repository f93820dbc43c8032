/** What members may read. */
const TABLES = new Set(['events', 'persons', 'person_distinct_ids', 'groups'])

/** Functions that give rows and know nothing but their arguments. */
const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series', 'json_each', 'json_tree'])

/** Names of the catalogue and of the store's own tables: a query may not give them a second meaning. */
const CATALOGUE_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema|staged_)/

/** Functions that give a value and know something of the machine or its settings. */
const FORBIDDEN_FUNCTIONS = new Set(['current_setting', 'getenv', 'getvariable', 'write_log', 'current_database'])

/**
 * Looks through the syntax tree that DuckDB's `json_serialize_sql` makes of a SELECT. Answers the first name that is out
 * of bounds as a clause for people, or null. DuckDB has no rights per table, and its catalogue functions tell file paths:
 * so only what is known to be harmless passes.
 */
export const forbiddenName = (tree: unknown, localTables: ReadonlySet<string> = new Set()): string | null => {
  if (Array.isArray(tree)) {
    for (const item of tree) {
      const found = forbiddenName(item, localTables)
      if (found !== null) return found
    }
    return null
  }
  if (typeof tree !== 'object' || tree === null) return null
  const { cte_map: ctes, ...node } = tree as Record<string, unknown>
  const local = localTablesIn(ctes, localTables)
  if (typeof local === 'string') return local
  const found = forbiddenHere(node, local)
  if (found !== null || node['type'] !== 'RECURSIVE_CTE_NODE') return found ?? forbiddenName(Object.values(node), local)
  // Only the part that is repeated sees the name it makes; in the first part it is still what the catalogue has.
  const { right, ...rest } = node
  const own = new Set([...local, String(node['cte_name']).toLowerCase()])
  return forbiddenName(Object.values(rest), local) ?? forbiddenName(right, own)
}

const forbiddenHere = (node: Record<string, unknown>, localTables: ReadonlySet<string>): string | null => {
  if (node['type'] === 'BASE_TABLE') {
    const name = String(node['table_name'])
    const isQualified = node['catalog_name'] !== '' || !['', 'main'].includes(String(node['schema_name']))
    const isKnown =
      TABLES.has(name.toLowerCase()) || (node['schema_name'] === '' && localTables.has(name.toLowerCase()))
    if (isQualified || !isKnown) return `the table "${qualifiedName(node)}"`
  }
  if (node['type'] === 'TABLE_FUNCTION') {
    const name = functionName(node['function'])
    if (!TABLE_FUNCTIONS.has(name)) return `the table function "${name}"`
  }
  if (node['type'] === 'SHOW_REF') return 'the catalogue'
  if (node['class'] === 'FUNCTION' && FORBIDDEN_FUNCTIONS.has(functionName(node))) {
    return `the function "${functionName(node)}"`
  }
  return null
}

/**
 * The names that are known below a node with these `WITH` parts, or what is out of bounds in one of them. Each part sees
 * the names before it, not its own and not later ones: those would still be what the catalogue has.
 */
const localTablesIn = (ctes: unknown, outer: ReadonlySet<string>): ReadonlySet<string> | string => {
  const map = (ctes as { readonly map?: readonly { readonly key: string; readonly value: unknown }[] } | undefined)?.map
  const local = new Set(outer)
  for (const { key, value } of map ?? []) {
    const name = key.toLowerCase()
    if (CATALOGUE_NAME.test(name)) return `or make a table of the name "${key}"`
    const found = forbiddenName(value, local)
    if (found !== null) return found
    local.add(name)
  }
  return local
}

const qualifiedName = (node: Record<string, unknown>): string =>
  [node['catalog_name'], node['schema_name'], node['table_name']].filter((part) => part !== '').join('.')

const functionName = (node: unknown): string =>
  String((node as Record<string, unknown> | null)?.['function_name']).toLowerCase()
