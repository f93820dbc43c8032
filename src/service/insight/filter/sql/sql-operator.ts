import type { Json } from '../../../../wire/json.ts'
import type { MatchContext } from '../match-context.ts'
import type { PropertySql } from './property-sql.ts'

/**
 * Writes an operator of `evaluate/` as SQL. It parses the filter value with the functions of that operator, and only says how
 * the property is read.
 *
 * @param value A value that the operator supports, without a problem.
 * @returns An expression that is NULL where the property's text is NULL, and where the result is unknown.
 */
export type SqlOperator = (value: Json, property: PropertySql, context: MatchContext) => string

/** The operators of an engine by their names, but for `is_set` and `is_not_set`, which do not compare the property. */
export type SqlOperatorTable = ReadonlyMap<string, SqlOperator>

/** Inverts an operator's result. */
export const negate =
  (operator: SqlOperator): SqlOperator =>
  (value, property, context) =>
    `(NOT ${operator(value, property, context)})`

/** An expression that is FALSE for each property that is not null, because the filter value matches none. */
export const matchNone = ({ text }: PropertySql): string => `(CASE WHEN ${text} IS NOT NULL THEN FALSE END)`

/** Whether this string may be contained in a number whose form differs between the engines and JavaScript (`1e21`, `1e+21`). */
export const canMatchExponent = (string: string): boolean => /^[-+.e\d]*[e+][-+.e\d]*$/i.test(string)
