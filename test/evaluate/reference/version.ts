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
  const number = (digits = ''): number => {
    if (digits === '') return 0
    // Only the service accepts a leading zero.
    return (context.complete ? /^\d+$/u : /^(0|[1-9]\d*)$/u).test(digits) ? Number(digits) : onInvalid()
  }
  const [major, minor, patch] = base.split('.')
  return { numbers: [number(major), number(minor), number(patch)], preRelease: preRelease.join('-') }
}

/** Precedence of semver.org; outside the service a pre-release equals its release. */
const compareVersions = (a: Version, b: Version, complete: boolean): number => {
  const [x, y] = [a.numbers, b.numbers]
  const order = x[0] - y[0] || x[1] - y[1] || x[2] - y[2]
  if (order !== 0 || !complete || a.preRelease === b.preRelease) return order
  if (a.preRelease === '' || b.preRelease === '') return a.preRelease === '' ? 1 : -1
  return a.preRelease.localeCompare(b.preRelease, 'en', { numeric: true })
}

const release = (...numbers: Version['numbers']): Version => ({ numbers, preRelease: '' })

type VersionTest = (property: Version, order: (first: Version, second: Version) => number) => boolean

/** @param createTest Parses the filter value; throws when it is not a version. */
const createRule =
  (createTest: (expected: Json, read: (value: Json) => Version) => VersionTest): Rule =>
  (expected, context) => {
    const { complete } = context
    const onInvalid = complete ? () => throwMissingContext() : () => throwUnsupported()
    let holds: VersionTest
    try {
      holds = createTest(expected, (value) => parseVersion(value, context, onInvalid))
    } catch (error) {
      if (complete) return () => false
      throw error
    }
    return (property) => {
      try {
        const order = (first: Version, second: Version): number => compareVersions(first, second, complete)
        return holds(parseVersion(property, context, throwMissingContext), order)
      } catch (error) {
        if (complete) return false
        throw error
      }
    }
  }

export const createVersionRule = (holds: (order: number) => boolean): Rule =>
  createRule((expected, read) => {
    const limit = read(expected)
    return (property, order) => holds(order(property, limit))
  })

/** A range whose first end is inclusive and second end exclusive. */
const versionRange = (ends: (expected: Json, read: (value: Json) => Version) => readonly [Version, Version]): Rule =>
  createRule((expected, read) => {
    const [low, high] = ends(expected, read)
    return (property, order) => order(property, low) >= 0 && order(property, high) < 0
  })

export const tilde = versionRange((expected, read) => {
  const low = read(expected)
  return [low, release(low.numbers[0], low.numbers[1] + 1, 0)]
})

export const caret = versionRange((expected, read) => {
  const low = read(expected)
  const [major, minor, patch] = low.numbers
  return [low, major > 0 ? release(major + 1, 0, 0) : minor > 0 ? release(0, minor + 1, 0) : release(0, 0, patch + 1)]
})

export const wildcard = versionRange((expected, read) => {
  const parts = printJson(expected)
    .trim()
    .replace(/\.?\*$/u, '')
    .split('.')
    .slice(0, 2)
  const [major, minor] = parts.includes('') ? read('').numbers : read(parts.join('.')).numbers
  return parts.length === 1
    ? [release(major, 0, 0), release(major + 1, 0, 0)]
    : [release(major, minor, 0), release(major, minor + 1, 0)]
})
