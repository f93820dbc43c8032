import { quoteString } from '../../../sql/quote.ts'
import type { ConditionDialect } from './condition-dialect.ts'
import { readEventField, readProperty, readString } from './property-sql.ts'
import { sqlOperatorTable } from './sql-operator-table.ts'

export const duckDbDialect: ConditionDialect = {
  quoteString,
  quoteUuid: (uuid) => `${quoteString(uuid)}::UUID`,
  readProperty,
  readEventField,
  readString,
  isNotTrue: (condition) => `(${condition}) IS NOT TRUE`,
  tableAs: 'AS MATERIALIZED',
  maxSqlBytes: 64 * 1024,
  maxCohortReads: Infinity,
  operators: sqlOperatorTable,
}
