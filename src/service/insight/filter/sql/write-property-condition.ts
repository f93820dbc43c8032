import type { MatchingRules, Operator } from '../../../../evaluate/operators/operator.ts'
import { operatorTable } from '../../../../evaluate/operators/operator-table.ts'
import type { PropertyCondition } from '../condition.ts'
import { UnsupportedFilterError } from '../filter-error.ts'
import type { PropertySql } from './property-sql.ts'
import type { SqlOperatorTable } from './sql-operator.ts'
import type { MatchContext } from '../match-context.ts'
import { UnwritablePatternError } from './write-pattern.ts'

/** The operator of a condition. It has a result for every property, but for a string that is too long for a pattern. */
const operatorOf = ({ operator: name, value }: PropertyCondition, rules: MatchingRules): Operator => {
  const operator = operatorTable.get(name)?.(value, rules)
  if (operator === undefined || typeof operator === 'string')
    throw new TypeError(`The operator ${name} does not support the value of this condition.`)
  return operator
}

/** Whether a condition matches when the property is missing. */
export const matchesAbsent = (condition: PropertyCondition, rules: MatchingRules): boolean =>
  operatorOf(condition, rules).ifAbsent !== condition.isNegated

/** Whether a condition matches when the property is null. */
const matchesNull = ({ test }: Operator, isNegated: boolean, now: number): boolean => {
  const result = test(null, { complete: true, now })
  return result !== undefined && result !== isNegated
}

/** What conditions are written with. */
interface WritingContext extends MatchContext {
  readonly operators: SqlOperatorTable
}

/**
 * Writes a condition on a property of a row.
 *
 * @returns An expression that is TRUE for matching rows, and FALSE or NULL for others.
 */
export const writePropertyCondition = (
  condition: PropertyCondition,
  property: PropertySql,
  context: WritingContext,
): string => {
  const { isNegated } = condition
  const operator = operatorOf(condition, context.rules)
  const { text, type } = property
  const ifAbsent = operator.ifAbsent !== isNegated
  if (operator.presenceOnly) return `(${type} IS ${ifAbsent ? '' : 'NOT '}NULL)`
  const match = writeMatch(condition, property, context)
  const isMatch = isNegated ? `(NOT ${match})` : match
  const ifNull = matchesNull(operator, isNegated, context.now)
  if (!ifNull && !ifAbsent) return isMatch
  // Only a pattern search has no result for some strings (`programSize` is set); elsewhere no result means no value.
  const isNull = operator.programSize === undefined ? 'TRUE' : `${text} IS NULL`
  const nullTest = ifNull && ifAbsent ? isNull : ifNull ? `${type} = 'NULL'` : `${type} IS NULL`
  return `coalesce(${isMatch}, ${nullTest})`
}

const writeMatch = (
  { path, operator, value }: PropertyCondition,
  property: PropertySql,
  context: WritingContext,
): string => {
  try {
    return context.operators.get(operator)!(value, property, context)
  } catch (error) {
    if (!(error instanceof UnwritablePatternError)) throw error
    throw new UnsupportedFilterError(`${path}.value`, `cannot be used: the pattern ${error.message}`)
  }
}
