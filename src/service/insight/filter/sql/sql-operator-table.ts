import { dateOperators } from './date.ts'
import { equalityOperators } from './equality.ts'
import { orderOperators } from './order.ts'
import { regexOperators } from './regex.ts'
import { semverOperators } from './semver.ts'
import type { SqlOperatorTable } from './sql-operator.ts'
import { substringOperators } from './substring.ts'

/**
 * The operators of `evaluate/` in SQL, but for `is_set` and `is_not_set`, which do not compare the property. They have the
 * results of the service (`complete`), but for these cases:
 *
 * | case | result in SQL |
 * |---|---|
 * | lists and objects as strings | as stored: keys of an object in the order in which they were sent, `1e21` for `1e+21` |
 * | Greek sigma in `exact` and `is_not` | the form at the end of a word equals the other one |
 * | a pattern with more than 1,000 repetitions, or with `\W` in a negated class | an error |
 * | a string such as `1e400` as a number | not a number |
 */
export const sqlOperatorTable: SqlOperatorTable = new Map(
  Object.entries({
    ...equalityOperators,
    ...substringOperators,
    ...orderOperators,
    ...dateOperators,
    ...semverOperators,
    ...regexOperators,
  }),
)
