import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { GROWING_FUNCTIONS } from './growing-functions.ts'
import { addsNumbers } from './short-result.ts'
import { listNodes, textOf } from './syntax-tree.ts'

/** The number of times that a value of a query can be longer than those that it is made of, without functions such as `repeat`. */
export interface Growth {
  readonly ofValues: number
  /** The part of it that literals of lists and structs have. */
  readonly ofLists: number
}

/** Literals that contain their parts. */
const CONTAINERS = new Set([
  'list_value',
  'list_pack',
  'array_value',
  'struct_pack',
  'row',
  'map',
  'struct_concat',
  'struct_insert',
])

/**
 * Estimates it for a syntax tree: of each SELECT, the item that grows most, and the product of all SELECTs, since each may build on
 * another one. Values that grow in each step of a recursion or reduction have no bound.
 */
export const estimateGrowth = (tree: Json): Growth => {
  let ofValues = 1
  let ofLists = 1
  const visit = (value: Json, isRepeated: boolean): void => {
    if (Array.isArray(value)) for (const part of value) visit(part, isRepeated)
    if (!isRecord(value)) return
    const repeats =
      isRepeated || value['type'] === 'RECURSIVE_CTE_NODE' || REDUCTIONS.has(textOf(value['function_name']))
    if (value['type'] === 'SELECT_NODE') {
      const { from_table: _, cte_map: __, type: ___, ...clauses } = value
      const values = growthOf(clauses, 'values')
      const lists = growthOf(clauses, 'lists')
      ofValues *= repeats && values > 1 ? Infinity : values
      ofLists *= lists
    } else if (repeats && value['class'] === 'FUNCTION' && growthOf(value, 'values') > 1) {
      ofValues = Infinity
    }
    for (const part of Object.values(value)) visit(part, repeats)
  }
  visit(tree, false)
  return { ofValues, ofLists }
}

const REDUCTIONS = new Set(['list_reduce', 'array_reduce', 'reduce'])

/** The growth of an expression, without the queries inside it. */
const growthOf = (value: Json, kind: 'values' | 'lists'): number => {
  if (Array.isArray(value)) return value.reduce<number>((most, part) => Math.max(most, growthOf(part, kind)), 1)
  if (!isRecord(value) || value['type'] === 'SELECT_NODE') return 1
  const factor = factorOf(value, kind)
  if (factor === null) return growthOf(Object.values(value), kind)
  const parts = listNodes(value['children'])
  return (
    factor *
    Math.max(
      1,
      parts.reduce((sum, part) => sum + growthOf(part, kind), 0),
    )
  )
}

/** The factor of a node whose length is the sum of its parts; null for another one. */
const factorOf = (node: JsonObject, kind: 'values' | 'lists'): number | null => {
  if (node['type'] === 'ARRAY_CONSTRUCTOR') return 1
  const name = textOf(node['function_name']).toLowerCase()
  if (CONTAINERS.has(name)) return 1
  if (name === '+' && addsNumbers(node)) return null
  return kind === 'lists' ? null : (GROWING_FUNCTIONS.get(name)?.factor ?? null)
}
