/** A version by semver.org, read loosely: see `parseVersion`. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number]
  /** What stands between the dots of the pre-release; empty for a release. */
  readonly preRelease: readonly string[]
  /** False when a number begins with a zero too many, as in `1.07`: clients of the protocol read no version then. */
  readonly strict: boolean
}

const numberOf = (part: string | undefined): number => (part ? (/^\d+$/.test(part) ? Number(part) : NaN) : 0)

/**
 * Space around it, a leading `v` and the build (`+…`) do not count; missing or empty parts are 0, parts after the third are
 * ignored.
 *
 * @returns Undefined when the text is no version.
 */
export const parseVersion = (text: string): Version | undefined => {
  const release = text.trim().replace(/^v/i, '').split('+', 1)[0]!
  const dash = release.indexOf('-')
  const base = dash < 0 ? release : release.slice(0, dash)
  if (base === '' || base[0] === '.') return undefined
  const [major, minor, patch] = base.split('.', 3)
  const numbers = [numberOf(major), numberOf(minor), numberOf(patch)] as const
  if (!numbers.every(Number.isSafeInteger)) return undefined
  return {
    numbers,
    preRelease: dash < 0 || dash === release.length - 1 ? [] : release.slice(dash + 1).split('.'),
    strict: [major, minor, patch].every((part) => part === undefined || part.length < 2 || part[0] !== '0'),
  }
}

const NUMERIC = /^\d+$/

const comparePart = (one: string, other: string): number => {
  const isNumber = NUMERIC.test(one)
  if (isNumber !== NUMERIC.test(other)) return isNumber ? -1 : 1
  if (isNumber && Number(one) !== Number(other)) return Number(one) - Number(other)
  return isNumber || one === other ? 0 : one < other ? -1 : 1
}

/** Precedence by semver.org, 11.3 and 11.4: a pre-release comes before its release. */
const comparePreReleases = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === 0 || other.length === 0) return other.length - one.length
  for (let at = 0; at < one.length && at < other.length; at++) {
    const order = comparePart(one[at]!, other[at]!)
    if (order !== 0) return order
  }
  return one.length - other.length
}

/** Below, at or above 0. Without pre-releases `1.2.3-beta` and `1.2.3` are equal. */
export const compareVersions = (one: Version, other: Version, preReleases: boolean): number => {
  for (let at = 0; at < 3; at++) {
    const order = one.numbers[at]! - other.numbers[at]!
    if (order !== 0) return order
  }
  return preReleases ? comparePreReleases(one.preRelease, other.preRelease) : 0
}
