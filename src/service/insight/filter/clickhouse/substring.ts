import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import { toLowerAscii } from '../../../../evaluate/operators/substring.ts'
import type { Json } from '../../../../wire/json.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { canMatchExponent, matchNone, negate } from '../sql/sql-operator.ts'
import type { SqlOperator } from '../sql/sql-operator.ts'

/** Writes a search of a quoted substring. */
type Search = (text: string, substring: string) => string

const contains: Search = (text, substring) => `(position(${text}, ${substring}) > 0)`
const startsWith: Search = (text, substring) => `startsWith(${text}, ${substring})`
const endsWith: Search = (text, substring) => `endsWith(${text}, ${substring})`

// `lower` lowers ASCII alone, as the operator does.
const writeSearch = (search: Search, text: string, substring: string): string =>
  search(/[a-z]/.test(substring) ? `lower(${text})` : text, quoteString(substring))

const createOperator =
  (search: Search, toList: (value: Json) => readonly Json[] = (value) => [value]): SqlOperator =>
  (value, property) => {
    const substrings = toList(value).flatMap((each) => toComparableString(each) ?? [])
    if (substrings.length === 0) return matchNone(property)
    const text = substrings.some(canMatchExponent) ? property.printed : property.text
    return `(${substrings.map((each) => writeSearch(search, text, toLowerAscii(each))).join(' OR ')})`
  }

const containsOne = createOperator(contains)
const containsAny = createOperator(contains, (value) => (Array.isArray(value) ? value : [value]))
const startsWithIt = createOperator(startsWith)
const endsWithIt = createOperator(endsWith)

export const substringOperators: Readonly<Record<string, SqlOperator>> = {
  icontains: containsOne,
  not_icontains: negate(containsOne),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWithIt,
  not_starts_with: negate(startsWithIt),
  ends_with: endsWithIt,
  not_ends_with: negate(endsWithIt),
}
