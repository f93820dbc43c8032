import { createSemverOperators } from './create-semver-operators.ts'
import type { Version } from '../../../../evaluate/operators/version.ts'
import { quoteString } from '../../../sql/quote.ts'
import { bind, quoteNumber } from './bind.ts'

// DuckDB compares structs and lists member by member, so a version becomes a struct whose order is the order of versions.
const TYPE =
  'STRUCT(numbers BIGINT[], is_release BOOLEAN, pre_release STRUCT(is_word BOOLEAN, number DOUBLE, word VARCHAR)[])'

const writeIdentifier = (identifier: string): string =>
  /^\d+$/.test(identifier)
    ? `{'is_word': FALSE, 'number': ${quoteNumber(Number(identifier))}, 'word': ''}`
    : `{'is_word': TRUE, 'number': 0, 'word': ${quoteString(identifier)}}`

const writeVersion = ({ numbers, preRelease }: Version): string =>
  `{'numbers': [${numbers.join(', ')}], 'is_release': ${preRelease.length === 0}, ` +
  `'pre_release': [${preRelease.map(writeIdentifier).join(', ')}]}::${TYPE}`

/** What `String.prototype.trim` removes. */
const WHITESPACE = quoteString(
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
)

const LARGEST_BIGINT = '9223372036854775807'

const readNumber = (position: number): string => {
  const digits = `split_part(split_part(release, '-', 1), '.', ${position})`
  return `CASE ${digits} WHEN '' THEN 0 ELSE coalesce(TRY_CAST(${digits} AS BIGINT), ${LARGEST_BIGINT}) END`
}

/** Reads the string `release` (without `v` and build metadata), which the pattern below matches. */
const READ_VERSION = (() => {
  const preRelease = "substr(release, length(split_part(release, '-', 1)) + 2)"
  const identifier =
    "CASE WHEN regexp_full_match(part, '\\d+')" +
    " THEN {'is_word': FALSE, 'number': coalesce(TRY_CAST(part AS DOUBLE), 'Infinity'::DOUBLE), 'word': ''}" +
    " ELSE {'is_word': TRUE, 'number': 0::DOUBLE, 'word': part} END"
  const identifiers = `CASE ${preRelease} WHEN '' THEN [] ELSE list_transform(string_split(${preRelease}, '.'), lambda part: ${identifier}) END`
  return (
    `{'numbers': [${[1, 2, 3].map(readNumber).join(', ')}], 'is_release': ${preRelease} = '',` +
    ` 'pre_release': ${identifiers}}::${TYPE}`
  )
})()

const IS_VERSION = '(?s)\\d+(\\.\\d*(\\.\\d*(\\.[^-]*)?)?)?(-.*)?'

/** `value` without what `parseVersion` ignores. */
const RELEASE = `split_part(regexp_replace(trim(value, ${WHITESPACE}), '^[vV]', ''), '+', 1)`

/** Writes a test of the struct `version`; FALSE for a property that is not a version. */
const writeVersionTest = (text: string, test: string): string => {
  const isMatch = `list_max(version.numbers) <= ${Number.MAX_SAFE_INTEGER} AND ${test}`
  const testVersion = bind(READ_VERSION, 'version', isMatch)
  const testRelease = `CASE WHEN regexp_full_match(release, '${IS_VERSION}') THEN ${testVersion} END`
  const testValue = `coalesce(${bind(RELEASE, 'release', testRelease)}, FALSE)`
  return bind(text, 'value', `CASE WHEN value IS NOT NULL THEN ${testValue} END`)
}

export const semverOperators = createSemverOperators({ writeVersion, writeVersionTest })
