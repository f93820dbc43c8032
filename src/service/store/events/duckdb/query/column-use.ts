import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { PERSON_NUMBER_COLUMN } from '../event-table/select-events.ts'
import type { LazyColumn } from './lazy-column.ts'
import { isLazyColumn } from './lazy-column.ts'
import { isProperties, listPropertyNames } from './property-names.ts'
import { contains, isReference, isStar, listNames, listNodes, nodeOf, textOf } from './syntax-tree.ts'

/** How a SELECT uses the columns of events, persons and groups. */
export interface ColumnUse {
  /** The constant paths that it reads from `properties`. */
  readonly reads: readonly PropertyRead[]
  /** The functions that it calls, in lower case. */
  readonly functions: ReadonlySet<string>
  /** The tables that it reads, in lower case; also its own (`WITH`). */
  readonly tables: ReadonlySet<string>
  /** Whether it uses `distinct_id` or `person_id` in any other way than to pass them on to its result. */
  readonly usesIds: boolean
  /** Whether it uses the column of that name (`PERSON_NUMBER_COLUMN`). */
  readonly usesPersonNumbers: boolean
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

/**
 * Reads from the syntax tree of a SELECT, as `json_serialize_sql` writes it, which properties and columns it uses. Null
 * unless this is certain: `properties` occurs only as the first argument of a function with a constant path, or where it is
 * passed on unchanged. It is passed on by an item of a SELECT, also under another name, and by `*` of one relation.
 */
export const readColumnUse = (tree: Json): ColumnUse | null => {
  const found: Found = {
    reads: [],
    functions: new Set(),
    names: new Set(),
    tables: new Set(),
    relations: new Map(),
    rowNames: new Set(),
    passedOn: new Map(),
    propertyNames: listPropertyNames(tree),
  }
  const node = nodeOf(tree)
  if (node === null) return null
  if (!(node['type'] === 'SELECT_NODE' ? visitSelect(node, found, 'outermost') : visit(node, found))) return null
  for (const name of found.rowNames) if (found.relations.has(name)) return null
  // The name of a result's column may also be used as a value, for example in ORDER BY.
  const usedAgain = [...found.passedOn].filter(([name]) => found.names.has(name)).map(([, column]) => column)
  if (usedAgain.includes('properties')) return null
  return {
    functions: found.functions,
    tables: found.tables,
    usesIds: found.names.has('distinct_id') || found.names.has('person_id') || usedAgain.length > 0,
    usesPersonNumbers: found.names.has(PERSON_NUMBER_COLUMN),
    reads: found.reads.map(({ kind, path, qualifier }) => {
      const tables = qualifier === null ? undefined : found.relations.get(qualifier)
      const [table = null] = tables?.size === 1 ? tables : []
      return { kind, path, table }
    }),
  }
}

/** All names are in lower case. */
interface Found {
  readonly reads: {
    readonly kind: PropertyKind
    readonly path: string
    readonly qualifier: string | null
  }[]
  readonly functions: Set<string>
  /** The names of columns that are used as values. */
  readonly names: Set<string>
  readonly tables: Set<string>
  /** The names of relations in the SQL, and the tables that each means: null for a part of the SQL. */
  readonly relations: Map<string, Set<string | null>>
  /** The last names of references: a column, or a whole row if a relation has this name. */
  readonly rowNames: Set<string>
  /** The columns of the result that are passed on unchanged, by their names in the result. */
  readonly passedOn: Map<string, LazyColumn>
  /** `properties` and its other names. A column with such a name that is something else cannot be read like it, or is not certain. */
  readonly propertyNames: ReadonlySet<string>
}

/** Visits a part of the tree; false if its use of columns is not certain. */
const visit = (value: Json | undefined, found: Found): boolean => {
  if (Array.isArray(value)) return value.every((item) => visit(item, found))
  if (!isRecord(value)) return true
  const { type } = value
  if (type === 'SELECT_NODE') return visitSelect(value, found, 'inner')
  if (type === 'SET_OPERATION_NODE' || type === 'RECURSIVE_CTE_NODE') return visitSetOperation(value, found)
  if ('from_table' in value || type === 'CTE_NODE') return false
  return typeof value['class'] === 'string' ? visitExpression(value, found) : visitParts(value, found)
}

const visitParts = (node: JsonObject, found: Found): boolean => Object.values(node).every((part) => visit(part, found))

const visitSelect = (node: JsonObject, found: Found, place: 'outermost' | 'inner'): boolean => {
  const { cte_map, from_table, select_list, ...clauses } = node
  const items = listNodes(select_list)
  const isUnchanged = passesRowsOn(node)
  const stars = items.filter(isStar)
  if (stars.length > 0 && !(isUnchanged && stars.every(isPlainStar))) return false
  if (stars.length > 0 && place === 'inner') found.names.add('distinct_id')
  const passedOn = isUnchanged ? items.filter((item) => passedColumnOf(item, place, found) !== null) : []
  if (place === 'inner') {
    // The columns of two relations get new names, such as `properties_1`.
    const isOfJoin = stars.some((star) => textOf(star['relation_name']) === '') && isJoin(from_table)
    if (stars.length + passedOn.length > 1 || isOfJoin) return false
  } else {
    for (const item of passedOn) {
      const name = textOf(item['alias']) || listNames(item['column_names']).at(-1)!
      found.passedOn.set(name.toLowerCase(), passedColumnOf(item, place, found)!)
    }
  }
  const values = items.filter((item) => !isStar(item) && !passedOn.includes(item))
  return (
    visitCtes(cte_map, found) &&
    visitSource(from_table, found) &&
    visitParts(ordersByAll(node) ? withoutOrder(clauses) : clauses, found) &&
    values.every((item) => visit(item, found))
  )
}

/** Whether a SELECT returns rows of its relations without comparing them as a whole, or by the position of a column. */
const passesRowsOn = (node: JsonObject): boolean =>
  node['aggregate_handling'] === 'STANDARD_HANDLING' &&
  listNodes(node['group_expressions']).length === 0 &&
  listNodes(node['modifiers']).every(
    (modifier) =>
      modifier['type'] !== 'DISTINCT_MODIFIER' &&
      // An expression without a column is the position of one.
      listNodes(modifier['orders']).every(({ expression }) => contains(expression, isReference)),
  )

const isJoin = (source: Json | undefined): boolean => isRecord(source) && source['type'] === 'JOIN'

/** `ORDER BY ALL` sorts by the items of the SELECT, which are visited anyway. */
const ordersByAll = (node: JsonObject): boolean =>
  listNodes(node['modifiers']).some((modifier) =>
    listNodes(modifier['orders']).some(
      ({ expression }) => isRecord(expression) && isStar(expression) && isAll(expression),
    ),
  )

const isAll = (star: JsonObject): boolean => star['columns'] === true && star['expr'] === null

const withoutOrder = (clauses: JsonObject): JsonObject => ({
  ...clauses,
  modifiers: listNodes(clauses['modifiers']).filter((modifier) => modifier['type'] !== 'ORDER_MODIFIER'),
})

/** The column that an item of a SELECT passes on, of an inner one only `properties`; null if the item is anything else. */
const passedColumnOf = (
  item: JsonObject,
  place: 'outermost' | 'inner',
  { propertyNames }: Found,
): LazyColumn | null => {
  if (isProperties(item, propertyNames)) return 'properties'
  if (place === 'inner' || item['class'] !== 'COLUMN_REF') return null
  const names = listNames(item['column_names']).map((name) => name.toLowerCase())
  const column = names.at(-1)!
  return names.length <= 2 && isLazyColumn(column) && !(names.length === 2 && isLazyColumn(names[0]!)) ? column : null
}

/** Its parts are matched by position, which could mix `properties` with other columns. */
const visitSetOperation = (node: JsonObject, found: Found): boolean => {
  const { cte_map, ...parts } = node
  const selects = [...listNodes(node['children']), node['left'], node['right']].filter(isRecord)
  if (selects.some((select) => passesPropertiesOn(select, found))) return false
  addRelation(found, node['cte_name'], null)
  return visitCtes(cte_map, found) && visitParts(parts, found)
}

const visitCtes = (cteMap: Json | undefined, found: Found): boolean =>
  listNodes(isRecord(cteMap) ? cteMap['map'] : undefined).every(({ key, value }) => {
    if (!isRecord(value)) return false
    const { query, aliases } = value
    if (listNames(aliases).length > 0 && somePartPassesPropertiesOn(query, found)) return false
    addRelation(found, key, null)
    return visit(isRecord(query) ? query['node'] : null, found)
  })

const visitSource = (source: Json | undefined, found: Found): boolean => {
  if (!isRecord(source)) return source === null
  const renamed = listNames(source['column_name_alias'])
  switch (source['type']) {
    case 'EMPTY':
      return true
    case 'BASE_TABLE': {
      if (renamed.length > 0 || !['', 'main'].includes(textOf(source['schema_name'])) || source['catalog_name'] !== '')
        return false
      const table = textOf(source['table_name']).toLowerCase()
      found.tables.add(table)
      addRelation(found, table, table)
      addRelation(found, source['alias'], table)
      return true
    }
    case 'SUBQUERY': {
      const { subquery } = source
      if (renamed.length > 0 && somePartPassesPropertiesOn(subquery, found)) return false
      addRelation(found, source['alias'], null)
      return visit(isRecord(subquery) ? subquery['node'] : null, found)
    }
    case 'JOIN': {
      const using = listNames(source['using_columns'])
      return (
        source['ref_type'] !== 'NATURAL' &&
        using.every((name) => visitReference([name], found)) &&
        visitSource(source['left'], found) &&
        visitSource(source['right'], found) &&
        visit(source['condition'], found)
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

const visitExpression = (node: JsonObject, found: Found): boolean => {
  // Another column of this name could be taken for the properties.
  if (found.propertyNames.has(textOf(node['alias']).toLowerCase())) return false
  switch (node['class']) {
    case 'COLUMN_REF':
      return visitReference(listNames(node['column_names']), found)
    case 'FUNCTION': {
      const name = textOf(node['function_name']).toLowerCase()
      const kind = PROPERTY_FUNCTIONS.get(name)
      found.functions.add(name)
      // It returns how DuckDB writes its argument, which these views change.
      if (name === 'alias') return false
      if (kind !== undefined) {
        const [target, path, ...others] = listNodes(node['children'])
        return isUnqualified(node) && others.length === 0 && visitRead(kind, target, path, found)
      }
      return visitParts(node, found)
    }
    // Its parameter may be named `properties`; DuckDB also parses `properties -> 'a'` as a lambda.
    case 'LAMBDA':
      return !mentionsProperties(node, found) && visitParts(node, found)
    case 'SUBQUERY': {
      const isTest = textOf(node['subquery_type']).includes('EXISTS')
      const { subquery } = node
      const select = isRecord(subquery) ? subquery['node'] : null
      if (!isRecord(select) || (!isTest && passesPropertiesOn(select, found))) return false
      return visit(select, found) && visit(node['child'], found)
    }
    case 'STAR':
    case 'POSITIONAL_REFERENCE':
      return false
    default:
      return visitParts(node, found)
  }
}

/** A name that DuckDB gives to the column of a second relation, or to a subquery without a name of its own. */
const GIVEN_NAME = /^(?:(.+)[_:]\d+|unnamed_subquery\d*)$/

const visitReference = (names: readonly string[], found: Found): boolean => {
  const lowerNames = names.map((name) => name.toLowerCase())
  if (lowerNames.some((name) => found.propertyNames.has(name))) return false
  const lastName = lowerNames.at(-1)!
  const givenName = GIVEN_NAME.exec(lastName)
  if (givenName !== null && (givenName[1] === undefined || isLazyColumn(givenName[1]))) return false
  for (const name of lowerNames) found.names.add(name)
  found.rowNames.add(lastName)
  return true
}

/** A call of a function that reads a path of `properties`. Calls on other values are not certain. */
const visitRead = (kind: PropertyKind, target: Json | undefined, path: Json | undefined, found: Found): boolean => {
  if (!isRecord(target) || !isRecord(path) || target['class'] !== 'COLUMN_REF' || path['class'] !== 'CONSTANT')
    return false
  if (!isProperties(target, found.propertyNames)) return false
  const names = listNames(target['column_names']).map((name) => name.toLowerCase())
  const { value, type } = path['value'] as { readonly value: unknown; readonly type: JsonObject }
  if (type['id'] !== 'VARCHAR' || typeof value !== 'string') return false
  found.reads.push({ kind, path: value, qualifier: names.length === 2 ? names[0]! : null })
  return true
}

const addRelation = ({ relations }: Found, name: Json | undefined, table: string | null): void => {
  const key = textOf(name).toLowerCase()
  if (key === '') return
  const tables = relations.get(key)
  if (tables === undefined) relations.set(key, new Set([table]))
  else tables.add(table)
}

const isPlainStar = (star: JsonObject): boolean =>
  listNodes(star['replace_list']).length === 0 &&
  listNodes(star['rename_list']).length === 0 &&
  star['columns'] === false &&
  star['expr'] === null

/** Whether the result of a query has `properties`, or all columns of a relation. */
const passesPropertiesOn = (node: JsonObject, found: Found): boolean =>
  listNodes(node['select_list']).some((item) => isStar(item) || isProperties(item, found.propertyNames)) ||
  [...listNodes(node['children']), node['left'], node['right']].some(
    (part) => isRecord(part) && passesPropertiesOn(part, found),
  )

const somePartPassesPropertiesOn = (value: Json | undefined, found: Found): boolean =>
  contains(value, (part) => isRecord(part) && (isStar(part) || passesPropertiesOn(part, found)))

const mentionsProperties = (value: Json, { propertyNames }: Found): boolean =>
  contains(value, (part) => typeof part === 'string' && propertyNames.has(part.toLowerCase()))

const isUnqualified = (node: JsonObject): boolean => node['schema'] === '' && node['catalog'] === ''
