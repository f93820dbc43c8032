import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import { toLowerAscii } from '../../../../evaluate/operators/substring.ts'
import type { Json } from '../../../../wire/json.ts'
import { quoteString } from '../../../sql/quote.ts'
import { canMatchExponent, matchNone, negate } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'

type Search = 'contains' | 'starts_with' | 'ends_with'

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const writeSearch = (search: Search, text: string, substring: string): string => {
  if (!/[a-z]/.test(substring)) return `${search}(${text}, ${quoteString(substring)})`
  const isFound = `${search}(lower(${text}), lower(${quoteString(substring)}))`
  // `lower` is much faster than lowering ASCII only, but it also lowers other letters, some of them to `k` and `i`.
  const isFoundInAscii = `${search}(translate(${text}, '${CAPITALS}', '${CAPITALS.toLowerCase()}'), ${quoteString(substring)})`
  if (/[^\0-\x7f]/.test(substring)) return `(${isFound} AND ${isFoundInAscii})`
  if (!/[ki]/.test(substring)) return isFound
  return `(${isFound} AND (NOT regexp_matches(${text}, '[\\x{130}\\x{212a}]') OR ${isFoundInAscii}))`
}

const createOperator =
  (search: Search, toList: (value: Json) => readonly Json[] = (value) => [value]): SqlOperator =>
  (value, property) => {
    const substrings = toList(value).flatMap((each) => toComparableString(each) ?? [])
    if (substrings.length === 0) return matchNone(property)
    const text = substrings.some(canMatchExponent) ? property.printed : property.text
    return `(${substrings.map((each) => writeSearch(search, text, toLowerAscii(each))).join(' OR ')})`
  }

const contains = createOperator('contains')
const containsAny = createOperator('contains', (value) => (Array.isArray(value) ? value : [value]))
const startsWith = createOperator('starts_with')
const endsWith = createOperator('ends_with')

export const substringOperators: Readonly<Record<string, SqlOperator>> = {
  icontains: contains,
  not_icontains: negate(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWith,
  not_starts_with: negate(startsWith),
  ends_with: endsWith,
  not_ends_with: negate(endsWith),
}
