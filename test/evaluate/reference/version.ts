import type { Json } from '../../../src/wire/json.ts'
import { unsuited, unsupported } from './open.ts'
import { printed, textOf } from './rule.ts'
import type { Knowledge, Rule } from './rule.ts'

interface Version {
  readonly numbers: readonly [number, number, number]
  readonly preRelease: string
}

const version = (value: Json, knowledge: Knowledge, unreadable: () => never): Version => {
  const [release = ''] = textOf(value, knowledge).trim().replace(/^v/iu, '').split('+')
  const [base = '', ...preRelease] = release.split('-')
  if (base === '' || base.startsWith('.')) return unreadable()
  const number = (digits = ''): number => {
    if (digits === '') return 0
    // A zero too many: read by the service only.
    return (knowledge.complete ? /^\d+$/u : /^(0|[1-9]\d*)$/u).test(digits) ? Number(digits) : unreadable()
  }
  const [major, minor, patch] = base.split('.')
  return { numbers: [number(major), number(minor), number(patch)], preRelease: preRelease.join('-') }
}

/** Precedence of semver.org; elsewhere than in the service a pre-release counts as its release. */
const orderOf = (a: Version, b: Version, complete: boolean): number => {
  const [x, y] = [a.numbers, b.numbers]
  const order = x[0] - y[0] || x[1] - y[1] || x[2] - y[2]
  if (order !== 0 || !complete || a.preRelease === b.preRelease) return order
  if (a.preRelease === '' || b.preRelease === '') return a.preRelease === '' ? 1 : -1
  return a.preRelease.localeCompare(b.preRelease, 'en', { numeric: true })
}

const release = (...numbers: Version['numbers']): Version => ({ numbers, preRelease: '' })

type Judge = (given: Version, order: (one: Version, other: Version) => number) => boolean

/** @param judge Reads the value of the filter; what it throws is a filter that nobody can be judged by. */
const versioned =
  (judge: (wanted: Json, read: (value: Json) => Version) => Judge): Rule =>
  (wanted, knowledge) => {
    const { complete } = knowledge
    const unreadable = complete ? () => unsuited() : () => unsupported()
    let holds: Judge
    try {
      holds = judge(wanted, (value) => version(value, knowledge, unreadable))
    } catch (error) {
      if (complete) return () => false
      throw error
    }
    return (given) => {
      try {
        const order = (one: Version, other: Version): number => orderOf(one, other, complete)
        return holds(version(given, knowledge, unsuited), order)
      } catch (error) {
        if (complete) return false
        throw error
      }
    }
  }

export const versionOrder = (holds: (order: number) => boolean): Rule =>
  versioned((wanted, read) => {
    const limit = read(wanted)
    return (given, order) => holds(order(given, limit))
  })

/** From the first up to and without the second. */
const versionRange = (ends: (wanted: Json, read: (value: Json) => Version) => readonly [Version, Version]): Rule =>
  versioned((wanted, read) => {
    const [low, high] = ends(wanted, read)
    return (given, order) => order(given, low) >= 0 && order(given, high) < 0
  })

export const tilde = versionRange((wanted, read) => {
  const low = read(wanted)
  return [low, release(low.numbers[0], low.numbers[1] + 1, 0)]
})

export const caret = versionRange((wanted, read) => {
  const low = read(wanted)
  const [major, minor, patch] = low.numbers
  return [low, major > 0 ? release(major + 1, 0, 0) : minor > 0 ? release(0, minor + 1, 0) : release(0, 0, patch + 1)]
})

export const wildcard = versionRange((wanted, read) => {
  const parts = printed(wanted)
    .trim()
    .replace(/\.?\*$/u, '')
    .split('.')
    .slice(0, 2)
  const [major, minor] = parts.includes('') ? read('').numbers : read(parts.join('.')).numbers
  return parts.length === 1
    ? [release(major, 0, 0), release(major + 1, 0, 0)]
    : [release(major, minor, 0), release(major, minor + 1, 0)]
})
