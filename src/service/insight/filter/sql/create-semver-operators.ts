import { parseCaret, parseTilde, parseVersionValue, parseWildcard } from '../../../../evaluate/operators/semver.ts'
import type { VersionRange } from '../../../../evaluate/operators/semver.ts'
import type { Version } from '../../../../evaluate/operators/version.ts'
import type { Json } from '../../../../wire/json.ts'
import type { SqlOperator } from './sql-operator.ts'

/** What engines write differently. */
export interface VersionWriter {
  /** Writes a version as a value that compares as versions do. */
  readonly writeVersion: (version: Version) => string
  /** Writes a test of the value `version`; FALSE for a property that is not a version. */
  readonly writeVersionTest: (text: string, test: string) => string
}

/** Creates the operators that compare versions, which all engines write alike. */
export const createSemverOperators = ({
  writeVersion,
  writeVersionTest,
}: VersionWriter): Readonly<Record<string, SqlOperator>> => {
  const createComparison =
    (sign: string): SqlOperator =>
    (value, { text }) =>
      writeVersionTest(text, `version ${sign} ${writeVersion(parseVersionValue(value)!)}`)

  const createRange =
    (parseRange: (value: Json) => VersionRange | undefined): SqlOperator =>
    (value, { text }) => {
      const [from, to] = parseRange(value)!
      return writeVersionTest(text, `version >= ${writeVersion(from)} AND version < ${writeVersion(to)}`)
    }

  return {
    semver_eq: createComparison('='),
    semver_neq: createComparison('<>'),
    semver_gt: createComparison('>'),
    semver_gte: createComparison('>='),
    semver_lt: createComparison('<'),
    semver_lte: createComparison('<='),
    semver_tilde: createRange(parseTilde),
    semver_caret: createRange(parseCaret),
    semver_wildcard: createRange(parseWildcard),
  }
}
