import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { GROWING_FUNCTIONS } from './growing-functions.ts'
import { contains, listNames, listNodes, textOf } from './syntax-tree.ts'

/** Longest text that a lambda may put into each element as a literal. */
const MAX_TEXT_LENGTH = 256

/** Functions whose result is a number, a truth value or a time, however long their arguments are. */
const REDUCING_FUNCTIONS: ReadonlySet<string> = new Set(
  `!~~ !~~* ~~ ~~* ~~~ <@ @> ^@ - * / // % ** ^ abs ceil ceiling floor round mod pow power sqrt ln log log10 log2 exp
  sign greatest_common_divisor least_common_multiple hash
  len length length_grapheme strlen char_length character_length octet_length bit_length ascii ord unicode
  list_contains list_has array_contains array_has list_has_all array_has_all list_has_any array_has_any list_position
  list_indexof array_position array_indexof list_count list_sum list_avg list_unique array_unique array_length
  cardinality map_contains struct_contains contains prefix suffix starts_with ends_with instr position strpos
  regexp_matches regexp_full_match levenshtein editdist3 hamming mismatches jaccard jaro_similarity
  jaro_winkler_similarity md5 sha1 sha256 typeof json_array_length json_contains json_exists json_valid json_type
  date_diff datediff date_part datepart date_trunc datetrunc epoch epoch_ms epoch_us epoch_ns year quarter month week
  day hour minute second millisecond microsecond dayofweek dayofmonth dayofyear isodow dayname monthname strptime
  list_distance list_cosine_similarity list_cosine_distance list_inner_product list_dot_product`.split(/\s+/),
)

/** Kinds of nodes whose result is a truth value. */
const TESTS = new Set(['COMPARISON', 'CONJUNCTION', 'BETWEEN'])

const TEST_OPERATORS = new Set([
  'OPERATOR_NOT',
  'OPERATOR_IS_NULL',
  'OPERATOR_IS_NOT_NULL',
  'COMPARE_IN',
  'COMPARE_NOT_IN',
])

/** Types of a fixed length. */
const SHORT_TYPE = /INT|DOUBLE|FLOAT|DECIMAL|BOOLEAN|DATE|TIME|INTERVAL|UUID/

/** Growing functions whose check does not count what the elements of a list contain. */
const UNMEASURED = new Set(
  'list_aggregate list_aggr array_aggregate array_aggr aggregate list_resize array_resize flatten'.split(' '),
)

/** Functions that take a lambda. Elsewhere DuckDB reads the same syntax as `->` of JSON. */
const LAMBDA_FUNCTIONS = new Set(
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
  if (isReduced(value, scope)) return null
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

const isReduced = (node: JsonObject, scope: Scope): boolean => {
  if (TESTS.has(textOf(node['class'])) || TEST_OPERATORS.has(textOf(node['type']))) return true
  if (node['class'] === 'CAST') return isRecord(node['cast_type']) && SHORT_TYPE.test(castTypeOf(node['cast_type']))
  if (node['class'] !== 'FUNCTION') return false
  const name = textOf(node['function_name']).toLowerCase()
  // It adds numbers and joins lists: not both operands may be lists.
  if (name === '+') return listNodes(node['children']).some((part) => isPlainOperand(part, scope))
  if (SHORTENING.has(name)) return isShortNumber(listNodes(node['children']).at(-1))
  return REDUCING_FUNCTIONS.has(name) || (GROWING_FUNCTIONS.has(name) && !UNMEASURED.has(name))
}

const isShortNumber = (node: JsonObject | undefined): boolean => {
  const value = node?.['value']
  return isRecord(value) && typeof value['value'] === 'number' && Math.abs(value['value']) <= MAX_TEXT_LENGTH
}

const isPlainOperand = (node: JsonObject, scope: Scope): boolean =>
  node['class'] === 'CONSTANT' || (node['class'] === 'COLUMN_REF' && !isOuter(node, scope)) || isReduced(node, scope)

/** The name of a type; one that is not looked up yet has it in its details. */
const castTypeOf = ({ id, type_info: info }: JsonObject): string => {
  const expression = isRecord(info) ? info['expr'] : null
  return isRecord(expression) ? textOf(expression['type_name']).toUpperCase() : textOf(id)
}
