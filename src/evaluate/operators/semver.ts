import type { Json } from '../../wire/json.ts'
import { printProperty, toComparableString } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { compareVersions, parseVersion } from './version.ts'
import type { Version } from './version.ts'

/** A range of versions: `from` inclusive, `to` exclusive. */
export type VersionRange = readonly [from: Version, to: Version]

/** Parses a filter value or a property as a version; undefined if it is not one. */
export const parseVersionValue = (value: Json): Version | undefined => parsePrinted(toComparableString(value))

const parsePrinted = (printed: string | undefined): Version | undefined =>
  printed === undefined ? undefined : parseVersion(printed)

/** Splitting a version takes this many times as long as reading it. */
export const PARSE_COMPARISONS = 8

const createRelease = (isStrict: boolean, major: number, minor: number, patch: number): Version => ({
  numbers: [major, minor, patch],
  preRelease: [],
  isStrict,
})

/** Parses the filter value of `semver_tilde`. */
export const parseTilde = (value: Json): VersionRange | undefined => {
  const from = parseVersionValue(value)
  return from && [from, createRelease(true, from.numbers[0], from.numbers[1] + 1, 0)]
}

/** Parses the filter value of `semver_caret`. */
export const parseCaret = (value: Json): VersionRange | undefined => {
  const from = parseVersionValue(value)
  if (!from) return undefined
  const [major, minor, patch] = from.numbers
  if (major > 0) return [from, createRelease(true, major + 1, 0, 0)]
  return [from, minor > 0 ? createRelease(true, 0, minor + 1, 0) : createRelease(true, 0, 0, patch + 1)]
}

/** Parses the filter value of `semver_wildcard`. */
export const parseWildcard = (value: Json): VersionRange | undefined => {
  const prefix =
    toComparableString(value)
      ?.trim()
      .replace(/\.?\*$/, '') ?? ''
  const from = /^v?\d+(?:\.\d+(?:$|\.)|$)/i.test(prefix) ? parseVersion(prefix) : undefined
  if (!from) return undefined
  const { isStrict } = from
  const [major, minor] = from.numbers
  return prefix.includes('.')
    ? [createRelease(isStrict, major, minor, 0), createRelease(true, major, minor + 1, 0)]
    : [createRelease(isStrict, major, 0, 0), createRelease(true, major + 1, 0, 0)]
}

/** The service reads `1.07` and orders pre-releases. The protocol's clients give no result for `1.07` and ignore pre-releases. */
const createVersionOperator =
  <Expected>(
    parse: (value: Json) => Expected | undefined,
    isStrict: (expected: Expected) => boolean,
    matches: (actual: Version, expected: Expected, usePreReleases: boolean) => boolean,
  ): OperatorFactory =>
  (value) => {
    const expected = parse(value)
    return {
      ifAbsent: false,
      comparisons: PARSE_COMPARISONS,
      serviceOnly: expected !== undefined && !isStrict(expected),
      problem: expected ? undefined : 'needs a version, such as "1.2.3"',
      test: (property, { complete }) => {
        if (property === null) return false
        const actual = parsePrinted(printProperty(property))
        if (!expected || !actual) return complete ? false : undefined
        if (!complete && !(actual.isStrict && isStrict(expected))) return undefined
        return matches(actual, expected, complete)
      },
    }
  }

const createComparison = (matches: (order: number) => boolean): OperatorFactory =>
  createVersionOperator(
    parseVersionValue,
    (expected) => expected.isStrict,
    (actual, expected, usePreReleases) => matches(compareVersions(actual, expected, usePreReleases)),
  )

const createRange = (parseRange: (value: Json) => VersionRange | undefined): OperatorFactory =>
  createVersionOperator(
    parseRange,
    ([from]) => from.isStrict,
    (actual, [from, to], usePreReleases) =>
      compareVersions(actual, from, usePreReleases) >= 0 && compareVersions(actual, to, usePreReleases) < 0,
  )

/** Versions by semver.org: comparisons, and the ranges `~1.2.3`, `^1.2.3` and `1.2.*`. */
export const semverOperators: Readonly<Record<string, OperatorFactory>> = {
  semver_eq: createComparison((order) => order === 0),
  semver_neq: createComparison((order) => order !== 0),
  semver_gt: createComparison((order) => order > 0),
  semver_gte: createComparison((order) => order >= 0),
  semver_lt: createComparison((order) => order < 0),
  semver_lte: createComparison((order) => order <= 0),
  semver_tilde: createRange(parseTilde),
  semver_caret: createRange(parseCaret),
  semver_wildcard: createRange(parseWildcard),
}
