import { comparesTruth, isTrue } from '../../../../evaluate/operators/equality.ts'
import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import type { Json } from '../../../../wire/json.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { PropertySql } from '../sql/property-sql.ts'
import { canMatchExponent, matchNone, negate } from '../sql/sql-operator.ts'
import type { SqlOperator } from '../sql/sql-operator.ts'
import { bind } from './bind.ts'

/** A list is true if it contains nothing but true values and such lists; as JSON it then has no other characters. */
const writeIsTrue = ({ text, type }: PropertySql): string => {
  const pattern = quoteString('^(?i)(\\[|\\]|,|true|"true")*$')
  const isTrueList = `startsWith(value, '[') AND ${type} = 'Array' AND match(value, ${pattern})`
  return bind(text, 'value', `lower(value) = 'true' OR (${isTrueList})`)
}

/** ClickHouse does not know that a Greek sigma has another form at the end of a word. */
const foldSigma = (string: string): string => string.replaceAll('ς', 'σ')

const writeIn = (expression: string, strings: readonly string[]): string =>
  `(${expression} IN (${strings.map(quoteString).join(', ')}))`

/** Writes a test whether the text equals one of the strings in lower case. */
const writeEqualsAny = (text: string, lowered: readonly string[]): string => {
  if (lowered.every((string) => string === string.toUpperCase())) return writeIn(text, lowered)
  return lowered.some((string) => /[σς]/.test(string))
    ? writeIn(`replaceAll(lowerUTF8(${text}), 'ς', 'σ')`, lowered.map(foldSigma))
    : writeIn(`lowerUTF8(${text})`, lowered)
}

const exact: SqlOperator = (value, property, { rules }) => {
  if (comparesTruth(value, rules)) return isTrue(value) ? writeIsTrue(property) : `(NOT ${writeIsTrue(property)})`
  const values: readonly Json[] = Array.isArray(value) ? value : [value]
  const lowered = new Set(values.flatMap((each) => toComparableString(each)?.toLowerCase() ?? []))
  if (lowered.size === 0) return matchNone(property)
  const text = [...lowered].some(canMatchExponent) ? property.printed : property.text
  return writeEqualsAny(text, [...lowered])
}

export const equalityOperators: Readonly<Record<string, SqlOperator>> = { exact, is_not: negate(exact) }
