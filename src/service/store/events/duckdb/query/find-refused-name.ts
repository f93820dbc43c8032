import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { CATALOG } from '../open-instance.ts'
import { isAllowedFunction, isAllowedTableFunction, isAllowedWindowFunction } from './allowed-functions.ts'
import { aggregateOf, isAggregateCall } from './literal-arguments.ts'
import { contains, listNames, listNodes, textOf } from './syntax-tree.ts'

/** A name in a query that queries may not use. */
export interface RefusedName {
  /** What it is, for an error: `the function "current_setting"`. */
  readonly description: string
  readonly kind: 'function' | 'use of a function' | 'other'
  readonly name: string
  /** Where it stands in the SQL, in bytes from its start; null if unknown. */
  readonly offset: number | null
}

/** Tables that queries may read. */
const TABLES = new Set(['events', 'persons', 'person_distinct_ids', 'groups'])

/** Names of the catalog and of the store's own tables, which a query must not redefine. */
const CATALOG_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema|staged_)/

/** Columns of these names are calls of functions that read the catalog, if there is no such column. So is `user`, which a query may name a column. */
const CATALOG_COLUMNS = new Set(['current_catalog', 'current_role', 'current_schema', 'current_user', 'session_user'])

/** No SQL is as long. */
const MAX_OFFSET = 2 ** 31

/**
 * Searches the syntax tree of a SELECT, as written by DuckDB's `json_serialize_sql`, for names that queries may not use.
 * Returns the first one, or null. DuckDB has no permissions per table or function, so all names are refused that are not known
 * to be harmless.
 */
export const findRefusedName = (tree: Json): RefusedName | null => {
  const namesUser = contains(tree, (part) => isRecord(part) && textOf(part['alias']).toLowerCase() === 'user')
  return search(tree, {
    tables: new Set(),
    columns: namesUser ? CATALOG_COLUMNS : new Set([...CATALOG_COLUMNS, 'user']),
  })
}

interface Scope {
  /** The query's own tables. */
  readonly tables: ReadonlySet<string>
  /** The columns that would be calls. */
  readonly columns: ReadonlySet<string>
}

const search = (tree: Json, { tables, columns }: Scope): RefusedName | null => {
  if (Array.isArray(tree)) return findFirst(tree, (item) => search(item, { tables, columns }))
  if (!isRecord(tree)) return null
  const { cte_map: ctes, ...node } = tree
  const parts = listNodes(isRecord(ctes) ? ctes['map'] : undefined)
  const visibleTables = new Set(tables)
  // Each part sees only the names before it: its own name and later names would still mean tables of the catalog.
  for (const { key, value } of parts) {
    const name = textOf(key)
    const refused = CATALOG_NAME.test(name.toLowerCase())
      ? refuse('other', `a table of its own with the name "${name}"`, name, tree)
      : search(value ?? null, { tables: visibleTables, columns })
    if (refused !== null) return refused
    visibleTables.add(name.toLowerCase())
  }
  const refused = checkNode(node, { tables: visibleTables, columns })
  if (refused !== null || node['type'] !== 'RECURSIVE_CTE_NODE')
    return refused ?? search(Object.values(node), { tables: visibleTables, columns })
  // A recursive CTE defines its name only for its second part; in the first part it still means the table in the catalog.
  const { right, ...otherFields } = node
  const recursiveTables = new Set([...visibleTables, textOf(node['cte_name']).toLowerCase()])
  return (
    search(Object.values(otherFields), { tables: visibleTables, columns }) ??
    search(right ?? null, { tables: recursiveTables, columns })
  )
}

const checkNode = (node: JsonObject, { tables, columns }: Scope): RefusedName | null => {
  if (typeof node['function_name'] === 'string') return checkFunction(node)
  switch (node['class'] ?? node['type']) {
    case 'BASE_TABLE':
      return checkTable(node, tables)
    case 'TABLE_FUNCTION':
      return checkTableFunction(node['function'])
    case 'SHOW_REF':
      // DESCRIBE and SUMMARIZE have a query, which is checked; SHOW reads the catalog.
      return isRecord(node['query']) ? null : refuse('other', 'the catalog', textOf(node['table_name']), node)
    case 'COLUMN_REF': {
      const [name = '', ...others] = listNames(node['column_names'])
      const isCall = others.length === 0 && columns.has(name.toLowerCase())
      return isCall ? refuse('function', `the function "${name}"`, name, node) : null
    }
    default:
      return null
  }
}

const checkTable = (node: JsonObject, localTables: ReadonlySet<string>): RefusedName | null => {
  const name = textOf(node['table_name'])
  const schema = textOf(node['schema_name'])
  const isQualified = node['catalog_name'] !== '' || !['', 'main'].includes(schema)
  const isAllowed = TABLES.has(name.toLowerCase()) || (schema === '' && localTables.has(name.toLowerCase()))
  if (isAllowed && !isQualified) return null
  return refuse('other', `the table "${qualifiedName(node)}"`, name, node)
}

const checkTableFunction = (call: Json | undefined): RefusedName | null => {
  const node = isRecord(call) ? call : {}
  const name = textOf(node['function_name'])
  return isAllowedTableFunction(name.toLowerCase()) ? null : refuse('other', `the table function "${name}"`, name, node)
}

/** Schemas in which DuckDB looks for functions before it takes `a.b()` as a function of the column `a`. */
const FUNCTION_SCHEMA = new RegExp(`^(system|temp|internal|pg_catalog|information_schema|memory|${CATALOG})$`)

const checkFunction = (node: JsonObject): RefusedName | null => {
  const name = textOf(node['function_name'])
  if (isAggregateCall(node)) {
    const aggregate = aggregateOf(node)
    if (aggregate === null)
      return refuse('function', `the function "${name}" without the name of an aggregate in quotes`, name, node)
    if (!isAllowedFunction(aggregate.toLowerCase()))
      return refuse('function', `the function "${aggregate}"`, aggregate, node)
  }
  if (node['class'] === 'WINDOW' && !isAllowedWindowFunction(name.toLowerCase()))
    return refuse('use of a function', `the function "${name}" with OVER`, name, node)
  const isForeign = FUNCTION_SCHEMA.test(textOf(node['schema']).toLowerCase())
  if (isAllowedFunction(name.toLowerCase()) && !isForeign) return null
  const prefix = isForeign ? `${textOf(node['schema'])}.` : ''
  return refuse('function', `the function "${prefix}${name}"`, name, node)
}

const qualifiedName = (node: JsonObject): string =>
  [node['catalog_name'], node['schema_name'], node['table_name']]
    .map(textOf)
    .filter((part) => part !== '')
    .join('.')

const refuse = (kind: RefusedName['kind'], description: string, name: string, node: JsonObject): RefusedName => {
  const location = node['query_location']
  // DuckDB writes the largest number where it knows no place.
  return { kind, description, name, offset: typeof location === 'number' && location < MAX_OFFSET ? location : null }
}

const findFirst = <Item, Found>(items: readonly Item[], find: (item: Item) => Found | null): Found | null => {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
