import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { countAliasCopies } from './alias-copies.ts'
import { countComparisons } from './nested-case.ts'
import { isStar, listNodes, textOf } from './syntax-tree.ts'

/**
 * What makes planning take long. DuckDB cannot be interrupted while it plans, so that such a query would end with its process. Up to each
 * limit, planning takes less than half a second on a slow machine; without them 30 nested subqueries took minutes.
 */
interface Complexity {
  /** Levels of expressions inside expressions, such as the sums in `a + b + c`. Time grows with the third power. */
  expressions: number
  /** Levels of subqueries in expressions. Each doubles the time. */
  subqueries: number
  /** Levels of `->`, BETWEEN and functions that need a value twice. Each doubles the time. */
  doublings: number
  /** Joins of the query with all its subqueries. */
  joins: number
  /** Grouping sets of one SELECT, as ROLLUP and CUBE make them. */
  groupingSets: number
  /** Number of times that `*` repeats the columns of a table, in all subqueries together. */
  columns: number
}

const LIMITS: readonly (readonly [keyof Complexity, number, string])[] = [
  ['expressions', 150, 'levels of nested expressions'],
  ['subqueries', 8, 'levels of subqueries in expressions'],
  ['doublings', 10, 'levels of ->, BETWEEN and functions such as NULLIF'],
  ['joins', 30, 'joins'],
  ['groupingSets', 64, 'grouping sets'],
  ['columns', 128, 'copies of a column through *'],
]

/** Most comparisons of all CASE together. */
const MAX_COMPARISONS = 20_000

/** Most expressions that are added where SELECTs use the names of their columns. */
const MAX_ALIAS_COPIES = 20_000

/** Throws `QueryError` if DuckDB would parse SQL for too long. */
export const checkText = (sql: string): void => {
  if (countComparisons(sql) > MAX_COMPARISONS) throw createError(MAX_COMPARISONS, 'comparisons in nested CASE')
}

/** Throws `QueryError` if DuckDB would plan the query for too long. */
export const checkComplexity = (tree: Json): void => {
  const complexity = measureComplexity(tree)
  for (const [name, limit, description] of LIMITS) if (complexity[name] > limit) throw createError(limit, description)
  // Last, because it recurs into each level of expressions.
  if (countAliasCopies(tree) > MAX_ALIAS_COPIES)
    throw createError(MAX_ALIAS_COPIES, 'expressions in the place of names that it gives')
}

const createError = (limit: number, description: string): QueryError =>
  new QueryError('invalid', `The query has more than ${limit} ${description}: planning would take too long.`)

/** How deep a node stands. */
type Depth = Pick<Complexity, 'expressions' | 'subqueries' | 'doublings'>

const measureComplexity = (tree: Json): Complexity => {
  const total: Complexity = {
    expressions: 0,
    subqueries: 0,
    doublings: 0,
    joins: 0,
    groupingSets: 0,
    columns: 1,
  }
  const visit = (value: Json, depth: Depth): void => {
    if (Array.isArray(value)) for (const part of value) visit(part, depth)
    if (!isRecord(value)) return
    const inner = depthInside(value, depth)
    for (const name of ['expressions', 'subqueries', 'doublings'] as const)
      total[name] = Math.max(total[name], inner[name])
    if (value['type'] === 'JOIN') total.joins += 1
    if (value['type'] === 'SELECT_NODE') {
      total.groupingSets = Math.max(total.groupingSets, lengthOf(value['group_sets']))
      total.columns *= copiesOf(value)
    }
    for (const part of Object.values(value)) visit(part, inner)
  }
  visit(tree, { expressions: 0, subqueries: 0, doublings: 0 })
  return total
}

const depthInside = (node: JsonObject, { expressions, subqueries, doublings }: Depth): Depth => ({
  expressions: expressions + (node['class'] === undefined ? 0 : 1),
  subqueries: subqueries + (node['class'] === 'SUBQUERY' ? 1 : 0),
  doublings: doublings + doublingsOf(node),
})

const doublingsOf = (node: JsonObject): number =>
  node['class'] === 'LAMBDA' || node['class'] === 'BETWEEN'
    ? 1
    : (DOUBLING_FUNCTIONS.get(textOf(node['function_name']).toLowerCase()) ?? 0)

/** DuckDB's own macros that use an argument twice, and those that use it three times, which count as two levels. */
const DOUBLING_FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['array_pop_back', 1],
  ['array_to_string', 1],
  ['array_to_string_comma_default', 1],
  ['fmod', 1],
  ['nullif', 1],
  ['split_part', 1],
  ['round_even', 2],
  ['roundbankers', 2],
])

const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0)

/** The columns of a SELECT per column of its tables. */
const copiesOf = (select: JsonObject): number => {
  const stars = listNodes(select['select_list']).filter(isStar).length
  return stars === 0 ? 1 : stars * tablesOf(select['from_table'])
}

const tablesOf = (from: Json | undefined): number => {
  if (!isRecord(from) || textOf(from['type']) !== 'JOIN') return 1
  return tablesOf(from['left']) + tablesOf(from['right'])
}
