import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { ConditionDialect } from '../sql/condition-dialect.ts'
import { dateOperators } from './date.ts'
import { equalityOperators } from './equality.ts'
import { orderOperators } from './order.ts'
import { readEventField, readProperty, readString } from './property-sql.ts'
import { regexOperators } from './regex.ts'
import { semverOperators } from './semver.ts'
import { substringOperators } from './substring.ts'

/** The operators have the results of DuckDB's (`sqlOperatorTable`). */
export const clickHouseDialect: ConditionDialect = {
  quoteString,
  quoteUuid: (uuid) => `toUUID(${quoteString(uuid)})`,
  readProperty,
  readEventField,
  readString,
  isNotTrue: (condition) => `NOT coalesce(${condition}, FALSE)`,
  tableAs: 'AS',
  // A property is several times as long as in DuckDB.
  maxSqlBytes: 512 * 1024,
  maxCohortReads: 200,
  operators: new Map(
    Object.entries({
      ...equalityOperators,
      ...substringOperators,
      ...orderOperators,
      ...dateOperators,
      ...semverOperators,
      ...regexOperators,
    }),
  ),
}
