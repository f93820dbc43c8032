import type { PropertyCondition } from '../condition.ts'
import { UnsupportedFilterError } from '../filter-error.ts'
import type { PropertySql } from './property-sql.ts'
import { sqlOperatorTable } from './sql-operator-table.ts'
import type { SqlOperatorContext } from './sql-operator.ts'
import { UnwritablePatternError } from './write-pattern.ts'

/** Whether a condition matches when the property is missing. */
export const matchesAbsent = ({ operator, isNegated }: PropertyCondition): boolean => operator.ifAbsent !== isNegated

/** Whether a condition matches when the property is null. */
const matchesNull = ({ operator, isNegated }: PropertyCondition, now: number): boolean => {
  const result = operator.test(null, { complete: true, now })
  return result !== undefined && result !== isNegated
}

/**
 * Writes a condition on a property of a row.
 *
 * @returns An expression that is TRUE for matching rows, and FALSE or NULL for others.
 */
export const writePropertyCondition = (
  condition: PropertyCondition,
  property: PropertySql,
  context: SqlOperatorContext,
): string => {
  const { operator, isNegated } = condition
  const { text, type } = property
  const ifAbsent = matchesAbsent(condition)
  if (operator.presenceOnly) return `(${type} IS ${ifAbsent ? '' : 'NOT '}NULL)`
  const match = writeMatch(condition, property, context)
  const isMatch = isNegated ? `(NOT ${match})` : match
  const ifNull = matchesNull(condition, context.now)
  if (!ifNull && !ifAbsent) return isMatch
  // Only a pattern search has no result for some strings (`programSize` is set); elsewhere no result means no value.
  const isNull = operator.programSize === undefined ? 'TRUE' : `${text} IS NULL`
  const nullTest = ifNull && ifAbsent ? isNull : ifNull ? `${type} = 'NULL'` : `${type} IS NULL`
  return `coalesce(${isMatch}, ${nullTest})`
}

const writeMatch = (
  { path, operatorName, value }: PropertyCondition,
  property: PropertySql,
  context: SqlOperatorContext,
): string => {
  try {
    return sqlOperatorTable.get(operatorName)!(value, property, context)
  } catch (error) {
    if (!(error instanceof UnwritablePatternError)) throw error
    throw new UnsupportedFilterError(`${path}.value`, `cannot be used: the pattern ${error.message}`)
  }
}
