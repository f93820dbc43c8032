import { createSemverOperators } from '../sql/create-semver-operators.ts'
import type { Version } from '../../../../evaluate/operators/version.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { bind, quoteNumber } from './bind.ts'

// ClickHouse compares tuples and arrays member by member, so a version becomes a tuple whose order is the order of versions: its
// numbers, whether it is a release, and its identifiers, of which those that are numbers come first.
const IDENTIFIER = 'Tuple(UInt8, Float64, String)'
const TYPE = `Tuple(Array(UInt64), UInt8, Array(${IDENTIFIER}))`

const writeIdentifier = (identifier: string): string =>
  /^\d+$/.test(identifier) ? `(0, ${quoteNumber(Number(identifier))}, '')` : `(1, 0., ${quoteString(identifier)})`

const writeVersion = ({ numbers, preRelease }: Version): string =>
  `CAST(([${numbers.join(', ')}], ${preRelease.length === 0 ? 1 : 0}, [${preRelease.map(writeIdentifier).join(', ')}]), '${TYPE}')`

/** What `String.prototype.trim` removes. */
const WHITESPACE =
  '\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'

const part = (text: string, separator: string, position: number): string =>
  `splitByChar('${separator}', ${text})[${position}]`

const readNumber = (position: number): string =>
  `if(${part(part('release', '-', 1), '.', position)} = '', 0, ` +
  `ifNull(toUInt64OrNull(${part(part('release', '-', 1), '.', position)}), 18446744073709551615))`

/** Reads the string `release` (without `v` and build metadata), which the pattern below matches. */
const READ_VERSION = (() => {
  const preRelease = `substring(release, length(${part('release', '-', 1)}) + 2)`
  const identifier =
    "if(match(part, '^[0-9]+$'), " +
    `CAST((0, ifNull(toFloat64OrNull(part), inf), ''), '${IDENTIFIER}'), CAST((1, 0., part), '${IDENTIFIER}'))`
  const identifiers = `if(${preRelease} = '', CAST([], 'Array(${IDENTIFIER})'), arrayMap(part -> ${identifier}, splitByChar('.', ${preRelease})))`
  return `CAST(([${[1, 2, 3].map(readNumber).join(', ')}], ${preRelease} = '', ${identifiers}), '${TYPE}')`
})()

const IS_VERSION = quoteString('^(?s)[0-9]+(\\.[0-9]*(\\.[0-9]*(\\.[^-]*)?)?)?(-.*)?$')

/** `value` without what `parseVersion` ignores. */
const RELEASE = (() => {
  const trimmed = `replaceRegexpAll(assumeNotNull(value), ${quoteString(`\\A[${WHITESPACE}]+|[${WHITESPACE}]+\\z`)}, '')`
  return part(`replaceRegexpOne(${trimmed}, '^[vV]', '')`, '+', 1)
})()

/** Writes a test of the tuple `version`; FALSE for a property that is not a version. */
const writeVersionTest = (text: string, test: string): string => {
  const isMatch = `arrayMax(version.1) <= ${Number.MAX_SAFE_INTEGER} AND ${test}`
  const testVersion = bind(READ_VERSION, 'version', isMatch)
  const testRelease = `match(release, ${IS_VERSION}) AND ${testVersion}`
  return bind(text, 'value', `if(value IS NOT NULL, ${bind(RELEASE, 'release', testRelease)}, NULL)`)
}

export const semverOperators = createSemverOperators({ writeVersion, writeVersionTest })
