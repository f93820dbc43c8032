/** What members may read. */
const TABLES = new Set(['events', 'persons', 'person_distinct_ids', 'groups'])

/** Functions that give rows and know nothing but their arguments. */
const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series', 'json_each', 'json_tree'])

/** Functions that give a value and know something of the machine or its settings. */
const FORBIDDEN_FUNCTIONS = new Set(['current_setting', 'getenv', 'getvariable', 'write_log', 'current_database'])

/**
 * Looks through the syntax tree that DuckDB's `json_serialize_sql` makes of a SELECT. Answers the first name that is out
 * of bounds as a clause for people, or null. DuckDB has no rights per table, and its catalogue functions tell file paths:
 * so only what is known to be harmless passes.
 */
export function forbiddenName(tree: unknown, localTables: ReadonlySet<string> = new Set()): string | null {
  if (Array.isArray(tree)) {
    for (const item of tree) {
      const found = forbiddenName(item, localTables)
      if (found !== null) return found
    }
    return null
  }
  if (typeof tree !== 'object' || tree === null) return null
  const node = tree as Record<string, unknown>
  const visible = withLocalTables(node, localTables)
  return forbiddenHere(node, visible) ?? forbiddenName(Object.values(node), visible)
}

function forbiddenHere(node: Record<string, unknown>, localTables: ReadonlySet<string>): string | null {
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

/** The names that `WITH` gives in this node: they hold in it and below it, and nowhere else. */
function withLocalTables(node: Record<string, unknown>, outer: ReadonlySet<string>): ReadonlySet<string> {
  const map = (node['cte_map'] as { readonly map?: readonly { readonly key: string }[] } | undefined)?.map
  const names = (map ?? []).map(({ key }) => key.toLowerCase())
  // A recursive part is a node of its own that carries its name.
  if (typeof node['cte_name'] === 'string') names.push(node['cte_name'].toLowerCase())
  return names.length === 0 ? outer : new Set([...outer, ...names])
}

function qualifiedName(node: Record<string, unknown>): string {
  return [node['catalog_name'], node['schema_name'], node['table_name']].filter((part) => part !== '').join('.')
}

function functionName(node: unknown): string {
  return String((node as Record<string, unknown> | null)?.['function_name']).toLowerCase()
}
