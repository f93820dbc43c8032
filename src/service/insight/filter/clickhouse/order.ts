import { createOrderOperators } from '../sql/create-order-operators.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { PropertySql } from '../sql/property-sql.ts'
import { bind, quoteNumber } from './bind.ts'

/** ClickHouse also converts `inf`, `nan` and numbers with spaces around them. */
const IS_NUMBER = quoteString('^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?$')

/** Writes a text as a number; NULL for one that is not a number, or beyond the range of a double. */
export const writeNumber = (text: string): string =>
  bind(
    text,
    'value',
    `if(match(value, ${IS_NUMBER}) AND isFinite(toFloat64OrNull(value)), toFloat64OrNull(value), NULL)`,
  )

/** Writes a test of a number; FALSE for a property that is not one. Strings beyond the range of a double are not numbers here. */
const writeNumberTest = ({ text }: PropertySql, writeTest: (number: string) => string): string => {
  const isMatch = `${writeTest('toFloat64OrNull(value)')} AND match(value, ${IS_NUMBER})`
  return bind(text, 'value', `if(value IS NOT NULL, coalesce(${isMatch}, FALSE), NULL)`)
}

export const orderOperators = createOrderOperators(writeNumberTest, quoteNumber)
