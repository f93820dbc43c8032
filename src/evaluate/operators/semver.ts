import type { Json } from '../../wire/json.ts'
import { textOf } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { compareVersions, parseVersion } from './version.ts'
import type { Version } from './version.ts'

/** Versions from the first up to and without the second. */
type Range = readonly [from: Version, to: Version]

const parsed = (value: Json): Version | undefined => {
  const text = textOf(value)
  return text === undefined ? undefined : parseVersion(text)
}

const release = (strict: boolean, major: number, minor: number, patch: number): Version => ({
  numbers: [major, minor, patch],
  preRelease: [],
  strict,
})

const tilde = (value: Json): Range | undefined => {
  const from = parsed(value)
  return from && [from, release(true, from.numbers[0], from.numbers[1] + 1, 0)]
}

const caret = (value: Json): Range | undefined => {
  const from = parsed(value)
  if (!from) return undefined
  const [major, minor, patch] = from.numbers
  if (major > 0) return [from, release(true, major + 1, 0, 0)]
  return [from, minor > 0 ? release(true, 0, minor + 1, 0) : release(true, 0, 0, patch + 1)]
}

const wildcard = (value: Json): Range | undefined => {
  const text =
    textOf(value)
      ?.trim()
      .replace(/\.?\*$/, '') ?? ''
  const from = /^v?\d+(?:\.\d+(?:$|\.)|$)/i.test(text) ? parseVersion(text) : undefined
  if (!from) return undefined
  const { strict } = from
  const [major, minor] = from.numbers
  return text.includes('.')
    ? [release(strict, major, minor, 0), release(true, major, minor + 1, 0)]
    : [release(strict, major, 0, 0), release(true, major + 1, 0, 0)]
}

/** The service reads `1.07` and orders pre-releases; clients of the protocol have no verdict on the one and ignore the other. */
const judging =
  <Wanted>(
    read: (value: Json) => Wanted | undefined,
    strictOf: (wanted: Wanted) => boolean,
    holds: (given: Version, wanted: Wanted, preReleases: boolean) => boolean,
  ): OperatorFactory =>
  (value) => {
    const wanted = read(value)
    return {
      absent: false,
      serviceOnly: wanted !== undefined && !strictOf(wanted),
      problem: wanted ? undefined : 'needs a version, such as "1.2.3"',
      test: (property, { complete }) => {
        if (property === null) return false
        const given = parsed(property)
        if (!wanted || !given) return complete ? false : undefined
        if (!complete && !(given.strict && strictOf(wanted))) return undefined
        return holds(given, wanted, complete)
      },
    }
  }

const comparing = (holds: (order: number) => boolean): OperatorFactory =>
  judging(
    parsed,
    (wanted) => wanted.strict,
    (given, wanted, preReleases) => holds(compareVersions(given, wanted, preReleases)),
  )

const within = (rangeOf: (value: Json) => Range | undefined): OperatorFactory =>
  judging(
    rangeOf,
    ([from]) => from.strict,
    (given, [from, to], preReleases) =>
      compareVersions(given, from, preReleases) >= 0 && compareVersions(given, to, preReleases) < 0,
  )

/** Versions by semver.org: their order, and the ranges `~1.2.3`, `^1.2.3` and `1.2.*`. */
export const semver: Readonly<Record<string, OperatorFactory>> = {
  semver_eq: comparing((order) => order === 0),
  semver_neq: comparing((order) => order !== 0),
  semver_gt: comparing((order) => order > 0),
  semver_gte: comparing((order) => order >= 0),
  semver_lt: comparing((order) => order < 0),
  semver_lte: comparing((order) => order <= 0),
  semver_tilde: within(tilde),
  semver_caret: within(caret),
  semver_wildcard: within(wildcard),
}
