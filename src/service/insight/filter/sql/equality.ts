import { parseExpected } from '../../../../evaluate/operators/equality.ts'
import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import type { PropertySql } from './property-sql.ts'
import { quoteString } from './quote.ts'
import { canMatchExponent, matchNone, negate } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'

/** A list is true if it contains nothing but true values and such lists; as JSON it then has no other characters. */
const writeIsTrue = ({ text, type }: PropertySql): string =>
  `(lower(${text}) = 'true' OR (starts_with(${text}, '[') AND ${type} = 'ARRAY'` +
  ` AND regexp_full_match(${text}, '(?i)(\\[|\\]|,|true|"true")*')))`

/** JavaScript lowers this letter to two, DuckDB to the first of them. */
const DOTTED_I = '\u0130'

/** DuckDB does not know that a Greek sigma has another form at the end of a word. */
const foldSigma = (string: string): string => string.replaceAll('ς', 'σ')

const writeIn = (expression: string, strings: readonly string[]): string =>
  `(${expression} IN (${strings.map(quoteString).join(', ')}))`

/** Writes a test whether the text equals one of the strings in lower case. */
const writeEqualsAny = (text: string, lowered: readonly string[]): string => {
  if (lowered.every((string) => string === string.toUpperCase())) return writeIn(text, lowered)
  const hasSigma = lowered.some((string) => /[σς]/.test(string))
  const hasDottedI = lowered.some((string) => string.includes(DOTTED_I.toLowerCase()))
  const source = hasDottedI ? `replace(${text}, '${DOTTED_I}', '${DOTTED_I.toLowerCase()}')` : text
  const isEqual = hasSigma
    ? writeIn(`replace(lower(${source}), 'ς', 'σ')`, lowered.map(foldSigma))
    : writeIn(`lower(${source})`, lowered)
  const canConfuseI = !hasDottedI && lowered.some((string) => string.includes('i'))
  return canConfuseI ? `(${isEqual} AND NOT contains(${text}, '${DOTTED_I}'))` : isEqual
}

const exact: SqlOperator = (value, property, { rules }) => {
  const expected = parseExpected(value, rules)
  if (expected.kind === 'truth') return expected.isTrue ? writeIsTrue(property) : `(NOT ${writeIsTrue(property)})`
  const lowered = new Set(expected.values.flatMap((each) => toComparableString(each)?.toLowerCase() ?? []))
  if (lowered.size === 0) return matchNone(property)
  const text = [...lowered].some(canMatchExponent) ? property.printed : property.text
  return writeEqualsAny(text, [...lowered])
}

export const equalityOperators: Readonly<Record<string, SqlOperator>> = { exact, is_not: negate(exact) }
