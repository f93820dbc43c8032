/** How a SELECT uses the columns of events, persons and groups. */
export interface ColumnUse {
  /** The constant paths that it reads from `properties`. */
  readonly reads: readonly PropertyRead[]
  /** The names of columns in it, in lower case; also those of other tables. */
  readonly names: ReadonlySet<string>
}

export interface PropertyRead {
  /** `text`: as `->>` returns it; `json`: as `json_extract` does; `type`: as `json_type` does. */
  readonly kind: PropertyKind
  readonly path: string
  /** The table whose `properties` are read; null if the SQL leaves it open. */
  readonly table: string | null
}

export type PropertyKind = 'text' | 'json' | 'type'

/** The functions that read a path, in lower case. DuckDB cannot bind a macro for `->`, which it parses as a lambda. */
export const PROPERTY_FUNCTIONS: ReadonlyMap<string, PropertyKind> = new Map([
  ['->>', 'text'],
  ['json_extract_string', 'text'],
  ['json_extract_path_text', 'text'],
  ['json_extract', 'json'],
  ['json_extract_path', 'json'],
  ['json_type', 'type'],
])

type Node = Readonly<Record<string, unknown>>

/**
 * Reads from the syntax tree of a SELECT, as `json_serialize_sql` writes it, which properties and columns it uses. Null
 * unless this is certain: `properties` occurs in no other way than as the first argument of a function with a constant path,
 * or in `*`; and nothing renames a column or uses a whole row as a value.
 */
export const readColumnUse = (tree: unknown): ColumnUse | null => {
  const found: Found = { reads: [], names: new Set(), relations: new Map(), rowNames: new Set() }
  if (!visit(tree, found)) return null
  for (const name of found.rowNames) if (found.relations.has(name)) return null
  return {
    names: found.names,
    reads: found.reads.map(({ kind, path, qualifier }) => {
      const tables = qualifier === null ? undefined : found.relations.get(qualifier)
      const [table = null] = tables?.size === 1 ? tables : []
      return { kind, path, table }
    }),
  }
}

interface Found {
  readonly reads: {
    readonly kind: PropertyKind
    readonly path: string
    readonly qualifier: string | null
  }[]
  readonly names: Set<string>
  /** The names of relations in the SQL, and the tables that each means: null for a part of the SQL. */
  readonly relations: Map<string, Set<string | null>>
  /** References of one part: a column, or a whole row if a relation has this name. */
  readonly rowNames: Set<string>
}

/** Visits a part of the tree; false if its use of columns is not certain. */
const visit = (value: unknown, found: Found): boolean => {
  if (Array.isArray(value)) return value.every((item) => visit(item, found))
  if (!isNode(value)) return true
  const { type } = value
  if (type === 'SELECT_NODE') return visitSelect(value, found)
  if (type === 'SET_OPERATION_NODE' || type === 'RECURSIVE_CTE_NODE') return visitSetOperation(value, found)
  if ('from_table' in value || type === 'CTE_NODE') return false
  return typeof value['class'] === 'string' ? visitExpression(value, found) : visitParts(value, found)
}

const visitParts = (node: Node, found: Found): boolean => Object.values(node).every((part) => visit(part, found))

const visitSelect = (node: Node, found: Found): boolean => {
  const { cte_map, from_table, select_list, ...clauses } = node
  const items = listNodes(select_list)
  const stars = items.filter(isStar)
  if (!stars.every(isPlainStar) || (stars.length > 0 && comparesRows(node))) return false
  return (
    visitCtes(cte_map, found) &&
    visitSource(from_table, found) &&
    visitParts(clauses, found) &&
    items.filter((item) => !isStar(item)).every((item) => visit(item, found))
  )
}

/** Whether a SELECT compares or groups all columns. */
const comparesRows = (node: Node): boolean =>
  node['aggregate_handling'] !== 'STANDARD_HANDLING' ||
  listNodes(node['group_expressions']).length > 0 ||
  listNodes(node['modifiers']).some(
    (modifier) =>
      modifier['type'] === 'DISTINCT_MODIFIER' ||
      listNodes(modifier['orders']).some(({ expression }) => isNode(expression) && isStar(expression)),
  )

/** Its parts are matched by position, so that `*` would mix columns. */
const visitSetOperation = (node: Node, found: Found): boolean => {
  const { cte_map, ...parts } = node
  const selects = [...listNodes(node['children']), node['left'], node['right']].filter(isNode)
  if (selects.some(selectsStar)) return false
  addRelation(found, node['cte_name'], null)
  return visitCtes(cte_map, found) && visitParts(parts, found)
}

const visitCtes = (cteMap: unknown, found: Found): boolean =>
  listNodes(isNode(cteMap) ? cteMap['map'] : undefined).every(({ key, value }) => {
    if (!isNode(value)) return false
    const { query, aliases } = value
    if (listNames(aliases).length > 0 && containsStar(query)) return false
    addRelation(found, key, null)
    return visit(isNode(query) ? query['node'] : null, found)
  })

const visitSource = (source: unknown, found: Found): boolean => {
  if (!isNode(source)) return source === null
  const renamed = listNames(source['column_name_alias'])
  switch (source['type']) {
    case 'EMPTY':
      return true
    case 'BASE_TABLE': {
      if (renamed.length > 0 || !['', 'main'].includes(textOf(source['schema_name'])) || source['catalog_name'] !== '')
        return false
      const table = textOf(source['table_name']).toLowerCase()
      addRelation(found, table, table)
      addRelation(found, source['alias'], table)
      return true
    }
    case 'SUBQUERY': {
      const { subquery } = source
      if (renamed.length > 0 && containsStar(subquery)) return false
      addRelation(found, source['alias'], null)
      return visit(isNode(subquery) ? subquery['node'] : null, found)
    }
    case 'JOIN': {
      const using = listNames(source['using_columns']).map((name) => name.toLowerCase())
      if (source['ref_type'] === 'NATURAL' || using.includes('properties')) return false
      for (const name of using) found.names.add(name)
      return (
        visitSource(source['left'], found) && visitSource(source['right'], found) && visit(source['condition'], found)
      )
    }
    case 'TABLE_FUNCTION':
    case 'EXPRESSION_LIST':
      addRelation(found, source['alias'], null)
      return visit(source['function'] ?? source['values'], found)
    default:
      return false
  }
}

const visitExpression = (node: Node, found: Found): boolean => {
  switch (node['class']) {
    case 'COLUMN_REF':
      return visitReference(listNames(node['column_names']), found)
    case 'FUNCTION': {
      const name = textOf(node['function_name']).toLowerCase()
      const kind = PROPERTY_FUNCTIONS.get(name)
      if (kind !== undefined) {
        const [target, path, ...others] = listNodes(node['children'])
        return isUnqualified(node) && others.length === 0 && visitRead(kind, target, path, found)
      }
      return visitParts(node, found)
    }
    // Its parameter may be named `properties`; DuckDB also parses `properties -> 'a'` as a lambda.
    case 'LAMBDA':
      return !mentionsProperties(node) && visitParts(node, found)
    case 'SUBQUERY': {
      const isTest = textOf(node['subquery_type']).includes('EXISTS')
      const { subquery } = node
      const select = isNode(subquery) ? subquery['node'] : null
      if (!isNode(select) || (!isTest && selectsStar(select))) return false
      return visit(select, found) && visit(node['child'], found)
    }
    case 'STAR':
    case 'POSITIONAL_REFERENCE':
      return false
    default:
      return visitParts(node, found)
  }
}

const visitReference = (names: readonly string[], found: Found): boolean => {
  const lowerNames = names.map((name) => name.toLowerCase())
  if (lowerNames.includes('properties')) return false
  for (const name of lowerNames) found.names.add(name)
  if (lowerNames.length === 1) found.rowNames.add(lowerNames[0]!)
  return true
}

/** A call of a function that reads a path of `properties`. Calls on other values are not certain. */
const visitRead = (kind: PropertyKind, target: unknown, path: unknown, found: Found): boolean => {
  if (!isNode(target) || !isNode(path) || target['class'] !== 'COLUMN_REF' || path['class'] !== 'CONSTANT') return false
  const names = listNames(target['column_names']).map((name) => name.toLowerCase())
  if (names.length > 2 || names.at(-1) !== 'properties' || (names[0] === 'properties' && names.length === 2))
    return false
  const { value, type } = path['value'] as { readonly value: unknown; readonly type: Node }
  if (type['id'] !== 'VARCHAR' || typeof value !== 'string') return false
  found.reads.push({ kind, path: value, qualifier: names.length === 2 ? names[0]! : null })
  return true
}

const addRelation = ({ relations }: Found, name: unknown, table: string | null): void => {
  const key = textOf(name).toLowerCase()
  if (key === '') return
  const tables = relations.get(key)
  if (tables === undefined) relations.set(key, new Set([table]))
  else tables.add(table)
}

const isStar = (node: Node): boolean => node['class'] === 'STAR'

const isPlainStar = (star: Node): boolean =>
  listNodes(star['replace_list']).length === 0 &&
  listNodes(star['rename_list']).length === 0 &&
  star['columns'] === false &&
  star['expr'] === null

/** Whether the result of a query has the columns of a `*`. */
const selectsStar = (node: Node): boolean =>
  listNodes(node['select_list']).some(isStar) ||
  [...listNodes(node['children']), node['left'], node['right']].some((part) => isNode(part) && selectsStar(part))

const containsStar = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(containsStar)
    : isNode(value) && (isStar(value) || Object.values(value).some(containsStar))

const mentionsProperties = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(mentionsProperties)
  if (!isNode(value)) return typeof value === 'string' && value.toLowerCase() === 'properties'
  return Object.values(value).some(mentionsProperties)
}

const isUnqualified = (node: Node): boolean => node['schema'] === '' && node['catalog'] === ''

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const listNodes = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

const listNames = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
