import { parseRange, parseWholeNumber } from '../../../../evaluate/operators/order.ts'
import type { PropertySql } from './property-sql.ts'
import { bind, quoteNumber } from './bind.ts'
import { matchNone } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'

/** DuckDB also converts ` 5 ` and `1_0`. */
const IS_NUMBER = '[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?'

/** Writes a text as a number; NULL for one that is not a number, or beyond the range of a double. */
export const writeNumber = (text: string): string =>
  bind(
    text,
    'value',
    `CASE WHEN isfinite(TRY_CAST(value AS DOUBLE)) AND regexp_full_match(value, '${IS_NUMBER}') THEN TRY_CAST(value AS DOUBLE) END`,
  )

/** Writes a test of a number; FALSE for a property that is not one. Strings beyond the range of a double are not numbers here. */
const writeNumberTest = ({ text }: PropertySql, writeTest: (number: string) => string): string => {
  // The comparison comes first, because it is faster than the pattern.
  const isMatch = `${writeTest('TRY_CAST(value AS DOUBLE)')} AND regexp_full_match(value, '${IS_NUMBER}')`
  return bind(text, 'value', `CASE WHEN value IS NOT NULL THEN coalesce(${isMatch}, FALSE) END`)
}

const createComparison =
  (sign: string): SqlOperator =>
  (value, property) => {
    const expected = parseWholeNumber(value)
    return Number.isNaN(expected)
      ? matchNone(property)
      : writeNumberTest(property, (number) => `${number} ${sign} ${quoteNumber(expected)}`)
  }

const createRange =
  (keyword: string): SqlOperator =>
  (value, property) => {
    const [min = NaN, max = NaN] = parseRange(value)
    return writeNumberTest(property, (number) => `${number} ${keyword} ${quoteNumber(min)} AND ${quoteNumber(max)}`)
  }

export const orderOperators: Readonly<Record<string, SqlOperator>> = {
  gt: createComparison('>'),
  gte: createComparison('>='),
  lt: createComparison('<'),
  lte: createComparison('<='),
  between: createRange('BETWEEN'),
  not_between: createRange('NOT BETWEEN'),
}
