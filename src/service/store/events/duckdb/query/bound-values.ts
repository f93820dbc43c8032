import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { quoteIdentifier, quoteString } from '../../../../sql/quote.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { findCapturedValue, usesOuterValues } from './captured-value.ts'
import { estimateGrowth } from './estimate-growth.ts'
import type { Overload } from './growing-functions.ts'
import { GROWING_FUNCTIONS } from './growing-functions.ts'
import { checkAggregateCall, checkFormat, isAggregateCall } from './literal-arguments.ts'
import { addsNumbers } from './short-result.ts'
import { contains, listNodes, textOf } from './syntax-tree.ts'

/**
 * Bytes that growing functions may make for one row, together. DuckDB computes 2,048 rows at a time and does not count the memory of
 * these values toward its limit, so this is 160 MB for each thread.
 */
const MAX_ROW_BYTES = 80_000

/**
 * The same in a query that calls growing functions for the elements of lists, or functions that keep much for each element: a list that it
 * makes has a thousand.
 */
const MAX_ROW_BYTES_WITH_LISTS = 8_000

/** The same for one element of a list. */
const MAX_ELEMENT_BYTES = 256

/** However many calls share the limit, each may make this much. */
const MIN_VALUE_BYTES = 64

/** Factor by which values may grow through sums (`||`) in nested queries before each sum is checked. */
const MAX_UNCHECKED_GROWTH = 1_000

/** The same for lists of lists and structs, which cannot be checked. */
const MAX_LIST_GROWTH = 5_000

/** What errors of `createBoundMacros` begin with. */
export const BOUND_ERROR = 'A value would be too large: '

/** Functions whose result differs at each call, so that a check of one result says nothing about the next. */
const VOLATILE_FUNCTIONS = new Set(['random', 'uuid', 'gen_random_uuid', 'uuidv4', 'uuidv7'])

/** Functions that sort a list or count its elements, with about 64 bytes for each. */
const COSTLY_LIST_FUNCTIONS = new Set(
  `list_aggregate list_aggr array_aggregate array_aggr aggregate list_histogram list_mode list_entropy
  list_approx_count_distinct list_distinct array_distinct list_unique array_unique list_intersect array_intersect list_sort
  array_sort list_reverse_sort array_reverse_sort list_grade_up array_grade_up grade_up`.split(/\s+/),
)

/** Longest list that a lambda inside a lambda may work on: a literal of so many elements. */
const MAX_INNER_LIST = 16

/**
 * The statements that replace functions whose result can be much longer than what they are given (`repeat`, `range`, and `||` in many
 * nested queries): macros that first compare the length of the result with a limit, so that it fails before it exists. The calls of a
 * query share the limit.
 *
 * Throws `QueryError` for what cannot be checked.
 */
export const createBoundMacros = (tree: Json): readonly string[] => {
  const growth = estimateGrowth(tree)
  if (growth.ofLists > MAX_LIST_GROWTH)
    throw new QueryError('memory', 'The query makes lists of lists, or structs, in too many nested queries.')
  const checksSums = growth.ofValues > MAX_UNCHECKED_GROWTH
  const calls = listCalls(tree, relationsOf(tree)).filter(
    ({ name, isCapturing }) => checksSums || isCapturing || GROWING_FUNCTIONS.get(name)!.factor === null,
  )
  for (const call of calls) checkCall(call)
  // A macro replaces all calls of a function, inside lambdas and outside.
  const elementNames = new Set(calls.filter(({ isInLambda }) => isInLambda).map(({ name }) => name))
  const isPerElement = elementNames.size > 0 || contains(tree, (part) => isCallOf(part, COSTLY_LIST_FUNCTIONS))
  const rowBytes = isPerElement ? MAX_ROW_BYTES_WITH_LISTS : MAX_ROW_BYTES
  const shareOf = (budget: number): number =>
    Math.max(MIN_VALUE_BYTES, Math.floor(budget / calls.length / (checksSums ? growth.ofLists : growth.ofValues)))
  const maxBytesOf = (name: string): number => shareOf(elementNames.has(name) ? MAX_ELEMENT_BYTES : rowBytes)
  for (const { name, node } of calls) if (name === 'strftime') checkFormat(node, maxBytesOf(name))
  const names = new Set(calls.map(({ name }) => name))
  // The arguments are written once for each use in a macro, which would double them at each level.
  const isNested = checksSums || calls.some(({ node }) => contains(node['children'], (part) => isCallOf(part, names)))
  return [...names].flatMap((name) => {
    const arities = new Set(calls.filter((call) => call.name === name).flatMap(({ node }) => listArities(node)))
    return createMacro(name, [...arities], maxBytesOf(name), isNested) ?? []
  })
}

/** The numbers of arguments that a call may have: `a.b(c)` is a call of `b` with two, if `a` is a column. */
const listArities = (call: JsonObject): readonly number[] => {
  const count = listNodes(call['children']).length
  return ['', 'main'].includes(textOf(call['schema'])) ? [count] : [count, count + 1]
}

const createMacro = (name: string, arities: readonly number[], maxBytes: number, isNested: boolean): string | null => {
  const { describe, overloads } = GROWING_FUNCTIONS.get(name)!
  const message = quoteString(`${BOUND_ERROR}${name} may ${describe?.(maxBytes) ?? `make ${maxBytes} bytes`} here.`)
  const bodies = arities.flatMap((arity) =>
    overloads(arity).map((overload) => {
      const check = checkSql(name, overload, maxBytes, message)
      return `(${overload.parameters.join(', ')}) AS ${isNested ? evaluateOnce(overload, check) : check}`
    }),
  )
  return bodies.length === 0 ? null : `CREATE OR REPLACE TEMP MACRO ${quoteIdentifier(name)} ${bodies.join(', ')}`
}

const checkSql = (name: string, { parameters, bytes, call }: Overload, maxBytes: number, message: string): string => {
  const result = call ?? `system.main.${quoteIdentifier(name)}(${namesOf(parameters).join(', ')})`
  return `CASE WHEN (${bytes}) > ${maxBytes} THEN error(${message}) ELSE ${result} END`
}

const namesOf = (parameters: readonly string[]): readonly string[] =>
  parameters.map((parameter) => parameter.split(' ')[0]!)

/** Evaluates the arguments once, as the fields of a struct. */
const evaluateOnce = ({ parameters }: Overload, sql: string): string => {
  const fields = namesOf(parameters).map((name) => `${name} := ${name}`)
  const body = sql.replaceAll(/\ba\d+\b/g, (name) => `args.${name}`)
  return `system.main.list_transform([struct_pack(${fields.join(', ')})], lambda args: ${body})[1]`
}

interface Call {
  readonly name: string
  readonly node: JsonObject
  readonly isInLambda: boolean
  /** Whether it may work on a column for each element of a list. */
  readonly isCapturing: boolean
}

const isCallOf = (part: Json, names: ReadonlySet<string>): boolean =>
  isRecord(part) && names.has(textOf(part['function_name']).toLowerCase())

/** Where a call stands. */
interface Place {
  /** Inside a lambda on a list that may be long. */
  readonly isInLambda: boolean
  /** Inside any lambda. */
  readonly isRepeated: boolean
  readonly isCapturing: boolean
}

const OUTSIDE: Place = { isInLambda: false, isRepeated: false, isCapturing: false }

/** Functions that keep what a condition allows: the result of their lambda is only a truth value. */
const FILTERS = new Set(['list_filter', 'array_filter', 'filter', 'list_select', 'array_select'])

/** The calls of growing functions, without those in FROM: they make rows one after the other. */
const listCalls = (tree: Json, relations: ReadonlySet<string>): readonly Call[] => {
  const calls: Call[] = []
  const visit = (value: Json, place: Place): void => {
    if (Array.isArray(value)) for (const part of value) visit(part, place)
    if (!isRecord(value)) return
    if (value['type'] === 'TABLE_FUNCTION') {
      const call = value['function']
      return visit(isRecord(call) ? (call['children'] ?? null) : null, place)
    }
    if (value['class'] !== 'FUNCTION') return visit(Object.values(value), place)
    const name = textOf(value['function_name']).toLowerCase()
    if (isAggregateCall(value)) checkAggregateCall(value)
    if (GROWING_FUNCTIONS.has(name) && !(name === '+' && addsNumbers(value)))
      calls.push({ name, node: value, ...place })
    const { children, ...others } = value
    const args = listNodes(children)
    // A list with few elements, as a literal, is no longer than the SQL.
    const worksOnList = args.some(isLambda) && !isShortList(args[0])
    if (place.isInLambda && worksOnList)
      throw new QueryError(
        'forbidden',
        `A query may not use a lambda inside a lambda, except on a list of up to ${MAX_INNER_LIST} elements as a literal.`,
      )
    visit(Object.values(others), place)
    for (const arg of args) {
      if (!isLambda(arg)) {
        visit(arg, place)
        continue
      }
      const makesElements = (worksOnList || place.isRepeated) && !FILTERS.has(name)
      if (makesElements) checkCapture(arg, relations)
      visit(arg, {
        isInLambda: place.isInLambda || worksOnList,
        isRepeated: true,
        isCapturing: place.isCapturing || (makesElements && usesOuterValues(arg, relations)),
      })
    }
  }
  visit(tree, OUTSIDE)
  return calls
}

const checkCapture = (lambda: JsonObject, relations: ReadonlySet<string>): void => {
  const captured = findCapturedValue(lambda, relations)
  if (captured === null) return
  throw new QueryError(
    'forbidden',
    `A query may not put ${captured} into each element of a list with a lambda, because it may be long. Use what is short: a part of it (left(…, 100)), its length, a comparison, or text || value.`,
  )
}

/** The names of tables and of queries in FROM, in lower case; only these have a sample. */
const relationsOf = (tree: Json): ReadonlySet<string> => {
  const names = new Set<string>()
  contains(tree, (part) => {
    if (isRecord(part) && 'sample' in part)
      for (const name of [part['alias'], part['table_name']]) names.add(textOf(name).toLowerCase())
    return false
  })
  return names
}

/** DuckDB also parses `properties -> 'plan'` as a lambda; its path is constant. */
const isLambda = (node: JsonObject): boolean =>
  node['class'] === 'LAMBDA' && !(isRecord(node['expr']) && node['expr']['class'] === 'CONSTANT')

const isShortList = (node: JsonObject | undefined): boolean =>
  textOf(node?.['function_name']) === 'list_value' && listNodes(node?.['children']).length <= MAX_INNER_LIST

const checkCall = ({ name, node }: Call): void => {
  if (textOf(node['schema']).toLowerCase() === 'main')
    throw new QueryError('forbidden', `A query may not use the function "main.${name}". Write ${name} instead.`)
  if (
    GROWING_FUNCTIONS.get(name)!.factor === null &&
    contains(node['children'], (part) => isCallOf(part, VOLATILE_FUNCTIONS))
  )
    throw new QueryError('forbidden', `A query may not use random values in the arguments of ${name}.`)
}
