/** A version by semver.org, parsed leniently: see `parseVersion`. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number]
  /** The dot-separated identifiers of the pre-release; empty for a release. */
  readonly preRelease: readonly string[]
  /** False when a number has a leading zero, as in `1.07`: the protocol's clients do not accept such a version. */
  readonly isStrict: boolean
}

const parseNumber = (part: string | undefined): number => (part ? (/^\d+$/.test(part) ? Number(part) : NaN) : 0)

/**
 * Parses a version. Surrounding whitespace, a leading `v` and build metadata (`+…`) are ignored, as are parts after the third.
 * Missing or empty parts are 0.
 *
 * @returns Undefined when the input is not a version.
 */
export const parseVersion = (input: string): Version | undefined => {
  const release = input.trim().replace(/^v/i, '').split('+', 1)[0]!
  const dash = release.indexOf('-')
  const base = dash < 0 ? release : release.slice(0, dash)
  if (base === '' || base[0] === '.') return undefined
  const [major, minor, patch] = base.split('.', 3)
  const numbers = [parseNumber(major), parseNumber(minor), parseNumber(patch)] as const
  if (!numbers.every(Number.isSafeInteger)) return undefined
  return {
    numbers,
    preRelease: dash < 0 || dash === release.length - 1 ? [] : release.slice(dash + 1).split('.'),
    isStrict: [major, minor, patch].every((part) => part === undefined || part.length < 2 || part[0] !== '0'),
  }
}

const NUMERIC = /^\d+$/

const compareIdentifiers = (first: string, second: string): number => {
  const isNumeric = NUMERIC.test(first)
  if (isNumeric !== NUMERIC.test(second)) return isNumeric ? -1 : 1
  if (isNumeric && Number(first) !== Number(second)) return Number(first) - Number(second)
  return isNumeric || first === second ? 0 : first < second ? -1 : 1
}

/** Precedence by semver.org, 11.3 and 11.4: a pre-release comes before its release. */
const comparePreReleases = (first: readonly string[], second: readonly string[]): number => {
  if (first.length === 0 || second.length === 0) return second.length - first.length
  for (let index = 0; index < first.length && index < second.length; index++) {
    const order = compareIdentifiers(first[index]!, second[index]!)
    if (order !== 0) return order
  }
  return first.length - second.length
}

/** Returns a negative number, 0 or a positive number. With `usePreReleases` false, `1.2.3-beta` equals `1.2.3`. */
export const compareVersions = (first: Version, second: Version, usePreReleases: boolean): number => {
  for (let index = 0; index < 3; index++) {
    const order = first.numbers[index]! - second.numbers[index]!
    if (order !== 0) return order
  }
  return usePreReleases ? comparePreReleases(first.preRelease, second.preRelease) : 0
}
