import { comparesTruth, isTrue } from '../../../../evaluate/operators/equality.ts'
import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import type { Json } from '../../../../wire/json.ts'
import type { PropertySql } from './property-sql.ts'
import { quoteString } from '../../../sql/quote.ts'
import { bind } from './bind.ts'
import { canMatchExponent, matchNone, negate } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'

/** A list is true if it contains nothing but true values and such lists; as JSON it then has no other characters. */
const writeIsTrue = ({ text, type }: PropertySql): string => {
  const isTrueList = `starts_with(value, '[') AND ${type} = 'ARRAY' AND regexp_full_match(value, '(?i)(\\[|\\]|,|true|"true")*')`
  return bind(text, 'value', `lower(value) = 'true' OR (${isTrueList})`)
}

/** JavaScript lowers this letter to two, DuckDB to the first of them. */
const DOTTED_I = '\u0130'

/** DuckDB does not know that a Greek sigma has another form at the end of a word. */
const foldSigma = (string: string): string => string.replaceAll('ς', 'σ')

const writeIn = (expression: string, strings: readonly string[]): string =>
  `(${expression} IN (${strings.map(quoteString).join(', ')}))`

/** Writes a test whether the text equals one of the strings in lower case. */
const writeEqualsAny = (text: string, lowered: readonly string[]): string => {
  if (lowered.every((string) => string === string.toUpperCase())) return writeIn(text, lowered)
  if (lowered.some((string) => string.includes(DOTTED_I.toLowerCase())))
    return writeEqualsLowered(`replace(${text}, '${DOTTED_I}', '${DOTTED_I.toLowerCase()}')`, lowered)
  if (!lowered.some((string) => string.includes('i'))) return writeEqualsLowered(text, lowered)
  return bind(text, 'value', `${writeEqualsLowered('value', lowered)} AND NOT contains(value, '${DOTTED_I}')`)
}

const writeEqualsLowered = (text: string, lowered: readonly string[]): string =>
  lowered.some((string) => /[σς]/.test(string))
    ? writeIn(`replace(lower(${text}), 'ς', 'σ')`, lowered.map(foldSigma))
    : writeIn(`lower(${text})`, lowered)

const exact: SqlOperator = (value, property, { rules }) => {
  if (comparesTruth(value, rules)) return isTrue(value) ? writeIsTrue(property) : `(NOT ${writeIsTrue(property)})`
  const values: readonly Json[] = Array.isArray(value) ? value : [value]
  const lowered = new Set(values.flatMap((each) => toComparableString(each)?.toLowerCase() ?? []))
  if (lowered.size === 0) return matchNone(property)
  const text = [...lowered].some(canMatchExponent) ? property.printed : property.text
  return writeEqualsAny(text, [...lowered])
}

export const equalityOperators: Readonly<Record<string, SqlOperator>> = { exact, is_not: negate(exact) }
