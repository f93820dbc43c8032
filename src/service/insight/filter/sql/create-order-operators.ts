import { parseRange, parseWholeNumber } from '../../../../evaluate/operators/order.ts'
import type { PropertySql } from './property-sql.ts'
import { matchNone } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'

/** Writes a test of a number; FALSE for a property that is not one. */
type WriteNumberTest = (property: PropertySql, writeTest: (number: string) => string) => string

/** Creates the operators that compare numbers, which all engines write alike. */
export const createOrderOperators = (
  writeNumberTest: WriteNumberTest,
  quoteNumber: (number: number) => string,
): Readonly<Record<string, SqlOperator>> => {
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
  return {
    gt: createComparison('>'),
    gte: createComparison('>='),
    lt: createComparison('<'),
    lte: createComparison('<='),
    between: createRange('BETWEEN'),
    not_between: createRange('NOT BETWEEN'),
  }
}
