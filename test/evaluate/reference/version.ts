import type { Json } from '../../../src/wire/json.ts'
import { throwMissingContext, throwUnsupported } from './unknown.ts'
import { printJson, toComparableString } from './rule.ts'
import type { RuleContext, Rule } from './rule.ts'

interface Version {
  readonly numbers: readonly [number, number, number]
  readonly preRelease: string
}

const parseVersion = (value: Json, context: RuleContext, onInvalid: () => never): Version => {
  const [release = ''] = toComparableString(value, context).trim().replace(/^v/iu, '').split('+')
  const [base = '', ...preRelease] = release.split('-')
  if (base === '' || base.startsWith('.')) return onInvalid()
  const parseNumber = (digits = ''): number => {
    if (digits === '') return 0
    // Only the service accepts a leading zero.
    return (context.complete ? /^\d+$/u : /^(0|[1-9]\d*)$/u).test(digits) ? Number(digits) : onInvalid()
  }
  const [major, minor, patch] = base.split('.')
  return { numbers: [parseNumber(major), parseNumber(minor), parseNumber(patch)], preRelease: preRelease.join('-') }
}

/** Compares by the precedence rules of semver.org. Outside the service a pre-release equals its release. */
const compareVersions = (first: Version, second: Version, complete: boolean): number => {
  const [x, y] = [first.numbers, second.numbers]
  const order = x[0] - y[0] || x[1] - y[1] || x[2] - y[2]
  if (order !== 0 || !complete || first.preRelease === second.preRelease) return order
  if (first.preRelease === '' || second.preRelease === '') return first.preRelease === '' ? 1 : -1
  return first.preRelease.localeCompare(second.preRelease, 'en', { numeric: true })
}

const createRelease = (...numbers: Version['numbers']): Version => ({ numbers, preRelease: '' })

type VersionTest = (property: Version, order: (first: Version, second: Version) => number) => boolean

/**
 * Creates a rule that parses the property as a version.
 *
 * @param createTest Parses the filter value; throws when it is not a version.
 */
const createRule =
  (createTest: (expected: Json, parse: (value: Json) => Version) => VersionTest): Rule =>
  (expected, context) => {
    const { complete } = context
    const onInvalid = complete ? () => throwMissingContext() : () => throwUnsupported()
    let isMatch: VersionTest
    try {
      isMatch = createTest(expected, (value) => parseVersion(value, context, onInvalid))
    } catch (error) {
      if (complete) return () => false
      throw error
    }
    return (property) => {
      try {
        const order = (first: Version, second: Version): number => compareVersions(first, second, complete)
        return isMatch(parseVersion(property, context, throwMissingContext), order)
      } catch (error) {
        if (complete) return false
        throw error
      }
    }
  }

export const createVersionRule = (isMatch: (order: number) => boolean): Rule =>
  createRule((expected, parse) => {
    const limit = parse(expected)
    return (property, order) => isMatch(order(property, limit))
  })

/** Tests a range that includes its lower end and excludes its upper end. */
const versionRange = (
  getRange: (expected: Json, parse: (value: Json) => Version) => readonly [Version, Version],
): Rule =>
  createRule((expected, parse) => {
    const [low, high] = getRange(expected, parse)
    return (property, order) => order(property, low) >= 0 && order(property, high) < 0
  })

export const tilde = versionRange((expected, parse) => {
  const low = parse(expected)
  return [low, createRelease(low.numbers[0], low.numbers[1] + 1, 0)]
})

export const caret = versionRange((expected, parse) => {
  const low = parse(expected)
  const [major, minor, patch] = low.numbers
  return [
    low,
    major > 0
      ? createRelease(major + 1, 0, 0)
      : minor > 0
        ? createRelease(0, minor + 1, 0)
        : createRelease(0, 0, patch + 1),
  ]
})

export const wildcard = versionRange((expected, parse) => {
  const parts = printJson(expected)
    .trim()
    .replace(/\.?\*$/u, '')
    .split('.')
    .slice(0, 2)
  const [major, minor] = parts.includes('') ? parse('').numbers : parse(parts.join('.')).numbers
  return parts.length === 1
    ? [createRelease(major, 0, 0), createRelease(major + 1, 0, 0)]
    : [createRelease(major, minor, 0), createRelease(major, minor + 1, 0)]
})
