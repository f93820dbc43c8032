import type { JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { listNodes, textOf } from './syntax-tree.ts'

/** Functions whose result is a number, a truth value or a time, however long their arguments are. */
const REDUCING_FUNCTIONS: ReadonlySet<string> = new Set(
  `!~~ !~~* ~~ ~~* ~~~ <@ @> ^@ - * / // % ** ^ abs ceil ceiling floor round mod pow power sqrt ln log log10 log2 exp
  sign greatest_common_divisor least_common_multiple hash count count_star sum avg
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

/** Whether an expression shows that its result is short and no list, however long its parts are. */
export const hasShortResult = (node: JsonObject): boolean => {
  if (TESTS.has(textOf(node['class'])) || TEST_OPERATORS.has(textOf(node['type']))) return true
  if (node['class'] === 'CAST') return isRecord(node['cast_type']) && SHORT_TYPE.test(castTypeOf(node['cast_type']))
  if (node['class'] !== 'FUNCTION') return false
  const name = textOf(node['function_name']).toLowerCase()
  return name === '+' ? addsNumbers(node) : REDUCING_FUNCTIONS.has(name)
}

/** Whether a call of `+` adds numbers or times, as far as its operands show. It also joins lists, and both operands are lists then. */
export const addsNumbers = (call: JsonObject): boolean => {
  const operands = listNodes(call['children'])
  return operands.some((operand) => operand['class'] === 'CONSTANT' || hasShortResult(operand))
}

/** The name of a type; one that is not looked up yet has it in its details. */
const castTypeOf = ({ id, type_info: info }: JsonObject): string => {
  const expression = isRecord(info) ? info['expr'] : null
  return isRecord(expression) ? textOf(expression['type_name']).toUpperCase() : textOf(id)
}
