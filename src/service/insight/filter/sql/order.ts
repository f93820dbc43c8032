import { createOrderOperators } from './create-order-operators.ts'
import type { PropertySql } from './property-sql.ts'
import { bind, quoteNumber } from './bind.ts'

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

export const orderOperators = createOrderOperators(writeNumberTest, quoteNumber)
