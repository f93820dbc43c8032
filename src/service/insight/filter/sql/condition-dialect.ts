import type { EventField } from '../condition.ts'
import type { PropertySql } from './property-sql.ts'
import type { SqlOperatorTable } from './sql-operator.ts'

/** How conditions are written for an engine. */
export interface ConditionDialect {
  /** Writes any string. */
  readonly quoteString: (string: string) => string
  /** Writes a uuid as a constant of the type of ids. */
  readonly quoteUuid: (uuid: string) => string
  /**
   * Reads a property from a column of JSON objects.
   *
   * @param names The name of the property, and of members inside it.
   */
  readonly readProperty: (column: string, ...names: readonly string[]) => PropertySql
  /** Reads a field of an event beside its properties; times as ISO 8601 in UTC. */
  readonly readEventField: (events: string, field: EventField) => PropertySql
  /** Treats an expression as a property that is always a string. */
  readonly readString: (expression: string) => PropertySql
  /** TRUE where a condition is FALSE or NULL. */
  readonly isNotTrue: (condition: string) => string
  /** The words between the name of a table in WITH and its SELECT, which is run once. */
  readonly tableAs: string
  /** Longest SQL of all conditions of a query, and of a query with its conditions unless its writer says otherwise, in bytes. */
  readonly maxSqlBytes: number
  /** Most times that cohorts are read, each as often as others name it, where a table in WITH is read again at each place. */
  readonly maxCohortReads: number
  readonly operators: SqlOperatorTable
}
