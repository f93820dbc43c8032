import { dateOperators } from './date.ts'
import { equalityOperators } from './equality.ts'
import { negate } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { orderOperators } from './order.ts'
import { regexOperators } from './regex.ts'
import { semverOperators } from './semver.ts'
import { substringOperators } from './substring.ts'

/** Tests whether the property is present, whatever its value: null is set, too. */
const isSet: OperatorFactory = () => ({ ifAbsent: false, presenceOnly: true, test: () => true })

/**
 * All operators by their name in definitions; one file per family.
 *
 * Where implementations of the protocol disagree, this table says what happens here. In the service all properties are known;
 * elsewhere only the given properties are. "Unknown" means that the result is undefined.
 *
 * | case | rule |
 * |---|---|
 * | `undefined` | absent: unknown elsewhere. `is_set` and `is_not_set` check the key alone |
 * | `null` | the string `null` for equality, substrings and patterns; set for `is_set`; no match for numbers, dates, versions |
 * | NaN and the infinities | null, as in JSON |
 * | numbers as strings | as JavaScript prints them, also in the service: `1e+21`, which others print as `1e21`, and `1e-7` |
 * | property absent elsewhere | unknown, also for `is_not_set`: only the service knows what is absent |
 * | number next to an equal string | unknown elsewhere: services tell 1 from 1.0. Two numbers are compared as numbers |
 * | `gt gte lt lte` | service: strings that are numbers as a whole, else no match; elsewhere: leading numbers, else string order |
 * | `gt gte lt lte` with neither a number nor a string | not supported, also in the service |
 * | a string too long for a pattern (see `compilePattern`) | unknown, also in the service |
 * | numbers as dates | milliseconds since 1970 |
 * | dates without a zone | UTC, in the service and elsewhere |
 * | a value that is not a date or version | service: no match; elsewhere: unknown |
 * | pre-releases, `1.07` | service: ordered, read as 1.7; elsewhere: ignored, unknown |
 * | `between`, `icontains_multi`, their negations, `is_date_exact` | service only: clients do not have them |
 */
export const operatorTable: ReadonlyMap<string, OperatorFactory> = new Map(
  Object.entries({
    ...equalityOperators,
    ...substringOperators,
    ...orderOperators,
    ...dateOperators,
    ...semverOperators,
    is_set: isSet,
    is_not_set: negate(isSet),
    ...regexOperators,
  }),
)
