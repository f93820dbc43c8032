import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { GROWING_FUNCTIONS } from './growing-functions.ts'
import { hasShortResult } from './short-result.ts'
import { contains, listNames, listNodes, textOf } from './syntax-tree.ts'

/** Longest text that a lambda may put into each element as a literal. */
const MAX_TEXT_LENGTH = 256

/** Growing functions whose check does not count what the elements of a list contain. */
const UNMEASURED = new Set(['list_resize', 'array_resize', 'flatten'])

/** Functions that take a lambda. Elsewhere DuckDB reads the same syntax as `->` of JSON. */
export const LAMBDA_FUNCTIONS = new Set(
  `list_transform array_transform list_apply array_apply apply list_filter array_filter filter list_reduce array_reduce
  reduce`.split(/\s+/),
)

/** Functions that shorten a text to a number of letters. */
const SHORTENING = new Set(['left', 'right', 'substr', 'substring'])

/**
 * Finds what a lambda would put into each element of its result though it may be long: a column, an outer parameter, or a long literal.
 * It may be the argument of a function whose result is short, such as `len`, of a comparison, or of a growing function such as `||`,
 * which is checked itself. Null if there is nothing.
 *
 * @param relations The names of the query's tables, in lower case: `x.y` means a column of one of them before a field of a parameter.
 */
export const findCapturedValue = (lambda: JsonObject, relations: ReadonlySet<string>): string | null =>
  findLong(lambda['expr'] ?? null, { parameters: parametersOf(lambda), relations })

/** Whether a lambda uses a column or an outer parameter at any place. */
export const usesOuterValues = (lambda: JsonObject, relations: ReadonlySet<string>): boolean =>
  findOuter(lambda['expr'] ?? null, { parameters: parametersOf(lambda), relations })

const findOuter = (value: Json, scope: Scope): boolean => {
  if (Array.isArray(value)) return value.some((part) => findOuter(part, scope))
  if (!isRecord(value)) return false
  return isOuter(value, scope) || partsOf(value, scope).some(([part, inner]) => findOuter(part, inner))
}

interface Scope {
  readonly parameters: ReadonlySet<string>
  readonly relations: ReadonlySet<string>
}

/** The parts of a node. The parameters of a lambda inside the lambda are not outer ones. */
const partsOf = (node: JsonObject, scope: Scope): readonly (readonly [Json, Scope])[] => {
  if (!LAMBDA_FUNCTIONS.has(textOf(node['function_name']).toLowerCase()))
    return Object.values(node).map((part) => [part, scope])
  const { children, ...others } = node
  return [
    ...Object.values(others).map((part): [Json, Scope] => [part, scope]),
    ...listNodes(children).map((part): [Json, Scope] =>
      part['class'] === 'LAMBDA'
        ? [part['expr'] ?? null, { ...scope, parameters: new Set([...scope.parameters, ...parametersOf(part)]) }]
        : [part, scope],
    ),
  ]
}

const parametersOf = (lambda: JsonObject): ReadonlySet<string> => {
  const names = new Set<string>()
  contains(lambda['lhs'], (node) => {
    if (isRecord(node)) for (const name of listNames(node['column_names'])) names.add(name.toLowerCase())
    return false
  })
  return names
}

const isOuter = (node: JsonObject, { parameters, relations }: Scope): boolean => {
  if (node['class'] === 'STAR' || node['class'] === 'POSITIONAL_REFERENCE') return true
  if (node['class'] !== 'COLUMN_REF') return false
  const [first = '', ...others] = listNames(node['column_names']).map((name) => name.toLowerCase())
  return !parameters.has(first) || (others.length > 0 && relations.has(first))
}

const findLong = (value: Json, scope: Scope): string | null => {
  if (Array.isArray(value)) return findFirst(value.map((part) => [part, scope]))
  if (!isRecord(value)) return null
  if (isOuter(value, scope)) return `"${listNames(value['column_names']).join('.')}"`
  if (value['class'] === 'CONSTANT') return isLongText(value) ? 'a long text' : null
  if (isReduced(value)) return null
  if (value['class'] === 'CASE')
    return findLong(
      [...listNodes(value['case_checks']).map((check) => check['then_expr'] ?? null), value['else_expr'] ?? null],
      scope,
    )
  return findFirst(partsOf(value, scope))
}

const findFirst = (parts: readonly (readonly [Json, Scope])[]): string | null => {
  for (const [part, scope] of parts) {
    const found = findLong(part, scope)
    if (found !== null) return found
  }
  return null
}

const isLongText = ({ value }: JsonObject): boolean =>
  isRecord(value) && typeof value['value'] === 'string' && value['value'].length > MAX_TEXT_LENGTH

const isReduced = (node: JsonObject): boolean => {
  if (hasShortResult(node)) return true
  if (node['class'] !== 'FUNCTION') return false
  const name = textOf(node['function_name']).toLowerCase()
  if (SHORTENING.has(name)) return isShortNumber(listNodes(node['children']).at(-1))
  return GROWING_FUNCTIONS.has(name) && !UNMEASURED.has(name)
}

const isShortNumber = (node: JsonObject | undefined): boolean => {
  const value = node?.['value']
  return isRecord(value) && typeof value['value'] === 'number' && Math.abs(value['value']) <= MAX_TEXT_LENGTH
}
