import type { PropertyFilter } from '../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'

/** Why a question stays open; the first of the order below is told. */
export type Why = 'unsupported_definition' | 'unresolved_dependency' | 'missing_context'

/** A question that cannot be answered here. */
export interface Open {
  readonly why: Why
  /** Asked of a cohort that only the service has: nothing after it can be decided here. */
  readonly requiresServer?: boolean | undefined
  /** A regular expression that is not run here. */
  readonly regex?: boolean | undefined
}

const order: readonly Why[] = ['unsupported_definition', 'unresolved_dependency', 'missing_context']

/** Two open questions as one. */
export const worse = (a: Open | undefined, b: Open): Open => ({
  why: a && order.indexOf(a.why) < order.indexOf(b.why) ? a.why : b.why,
  requiresServer: (a?.requiresServer ?? false) || (b.requiresServer ?? false),
  regex: (a?.regex ?? false) || (b.regex ?? false),
})

/**
 * Where posthog-node 5.70 is known to answer otherwise than section 1 of the flag rules and the decisions beside them. The
 * reference follows the rules; with a deviation it does as that client does, so that a difference can be told from a mistake.
 */
export type Deviation =
  | 'enrolment is not looked at'
  | 'every integer is open'
  | 'String() prints lists and objects'
  | 'anything can be ordered'
  | 'null fails an unknown operator'
  | 'no text with a carriage return is searched'
  | 'a date is what Date reads'
  | 'a date without a zone is local'
  | 'a static cohort counts where it is met'
  | 'a cohort is all cohorts or all conditions'

export interface Knowledge {
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** `property_matching_version` of the definitions. */
  readonly version: number | undefined
  readonly deviations: ReadonlySet<Deviation>
}

/** Thrown by what reads values and caught by `matches`: the definition, or the property, is not what the operator needs. */
class Unreadable extends Error {
  readonly open: Open
  constructor(open: Open) {
    super(open.why)
    this.open = open
  }
}
const unsupported = (more?: Partial<Open>): never => {
  throw new Unreadable({ why: 'unsupported_definition', ...more })
}
const unsuited = (): never => {
  throw new Unreadable({ why: 'missing_context' })
}

/** Whether the property of this subject is what the filter asks for. */
export const matches = (filter: PropertyFilter, properties: JsonObject, knowledge: Knowledge): boolean | Open => {
  const { complete, deviations } = knowledge
  const operator = filter.operator ?? 'exact'
  const given = Object.hasOwn(properties, filter.key) ? properties[filter.key] : undefined
  try {
    const nullFails = given === null && !nullIsText.test(operator)
    const nullFirst = deviations.has('null fails an unknown operator')
    if (nullFirst && (nullFails || (given === null && serviceOnly.has(operator)))) return false
    if (!complete && serviceOnly.has(operator)) return unsupported()
    const rule = Object.hasOwn(rules, operator) ? rules[operator]! : unsupported()
    if (operator === 'is_set' || operator === 'is_not_set')
      return given === undefined && !complete ? unsuited() : (given !== undefined) === (operator === 'is_set')
    const test = nullFails && !orders.test(operator) ? () => false : rule(filter.value ?? null, knowledge)
    if (given === undefined) return complete ? operator === 'is_not' || operator.startsWith('not_') : unsuited()
    return nullFails ? false : test(given)
  } catch (error) {
    if (error instanceof Unreadable) return error.open
    throw error
  }
}

/** Operators that read null as the text "null", or do not look; for all others null is no match. */
const nullIsText = /^(exact|is_not|is_set|is_not_set|(not_)?(icontains|starts_with|ends_with|regex|icontains_multi))$/u

/** Operators whose value can be one that is not supported, whatever the property. */
const orders = /^[gl]te?$/u

/** No client knows them. */
const serviceOnly: ReadonlySet<string> = new Set([
  'between',
  'not_between',
  'icontains_multi',
  'not_icontains_multi',
  'is_date_exact',
])

type Test = (given: Json) => boolean
/** Reads the value of the filter (or finds it unreadable) and gives the test of a property. */
type Rule = (wanted: Json, knowledge: Knowledge) => Test

const negated =
  (rule: Rule): Rule =>
  (wanted, knowledge) => {
    const test = rule(wanted, knowledge)
    return (given) => !test(given)
  }

const exact: Rule = (wanted, knowledge) => {
  const elements = Array.isArray(wanted) ? wanted : [wanted]
  const byTruth = knowledge.version === 2 ? Array.isArray(wanted) && wanted.length === 0 : saysTruth(wanted)
  if (byTruth) return (given) => isTrue(wanted) === isTrue(given)
  return (given) => {
    let open: unknown
    for (const element of elements)
      try {
        if (equal(element, given, knowledge)) return true
      } catch (error) {
        if (knowledge.deviations.has('every integer is open')) throw error
        open ??= error
      }
    if (open) throw open
    return false
  }
}

/** A boolean, text that says one, or a list of only such. */
const saysTruth = (value: Json): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^(true|false)$/iu.test(value)) ||
  (Array.isArray(value) && value.every(saysTruth))

const isTrue = (value: Json): boolean =>
  value === true ||
  (typeof value === 'string' && value.toLowerCase() === 'true') ||
  (Array.isArray(value) && value.every(isTrue))

/**
 * Equal when printed. Whether 1 was written 1 or 1.0 is lost in `JSON.parse`, and the service prints them differently: beside
 * a text it may or may not be, the question stays open. Of two numbers it does not matter how they print.
 */
const equal = (wanted: Json, given: Json, { complete, deviations }: Knowledge): boolean => {
  if (!complete) {
    const [one, other] = typeof wanted === 'string' ? [wanted, given] : [given, wanted]
    const mayBe = typeof other === 'number' ? one !== '' && Number(one) === other : true
    if (typeof one === 'string' && typeof other !== 'string' && hasInteger(other) && mayBe) unsuited()
    if (deviations.has('every integer is open') && (hasInteger(wanted) || hasInteger(given))) {
      if (typeof given !== 'number' || !saysTruth(wanted)) unsuited()
    }
  }
  return printed(wanted).toLowerCase() === printed(given).toLowerCase()
}

const hasInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasInteger) : Number.isInteger(value)

/** JSON with the keys of objects in order, but text as it is. */
const printed = (value: Json): string => {
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

const byString: (value: unknown) => string = String

const textOf = (value: Json, { deviations }: Knowledge): string =>
  deviations.has('String() prints lists and objects') ? byString(value) : printed(value)

const lower = (text: string): string => text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

const text =
  (holds: (given: string, wanted: string) => boolean): Rule =>
  (wanted, knowledge) =>
  (given) =>
    holds(lower(textOf(given, knowledge)), lower(textOf(wanted, knowledge)))

const contains = text((given, wanted) => given.includes(wanted))
const starts = text((given, wanted) => given.startsWith(wanted))
const ends = text((given, wanted) => given.endsWith(wanted))

const containsAny: Rule = (wanted, knowledge) => (given) =>
  (Array.isArray(wanted) ? wanted : [wanted]).some((one) => contains(one, knowledge)(given))

/** Lookaround and back references cannot be run in linear time. */
const notRun = /\(\?(?!:)|\\[1-9]|\\k/u

const regex =
  (found: boolean): Rule =>
  (wanted, knowledge) => {
    const { complete, deviations } = knowledge
    const pattern = textOf(wanted, knowledge)
    // What word boundaries and letters beyond ASCII mean differs between engines: left to the service.
    const boundary = /\\b/iu.test(pattern)
    const notHere = deviations.has('no text with a carriage return is searched') ? /[^\0-\x7f]|\r/u : /[^\0-\x7f]/u
    const open = (): never => unsupported({ regex: true })
    if (notRun.test(pattern)) return open
    if (!isPattern(pattern)) return () => false
    return (given) => {
      const searched = textOf(given, knowledge)
      if (!complete && pattern !== '' && (boundary || notHere.test(searched))) return open()
      return new RegExp(pattern).test(searched) === found
    }
  }

const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern))
  } catch {
    return false
  }
}

/** All of a text, for the service; elsewhere as much of it as is a number. NaN for what is none. */
const numberIn = (value: Json, complete: boolean): number => {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return NaN
  if (!complete) return parseFloat(value)
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu.test(value) ? Number(value) : NaN
}

const compared =
  (holds: (order: number) => boolean): Rule =>
  (wanted, knowledge) => {
    const { complete, deviations } = knowledge
    const anything = deviations.has('anything can be ordered')
    if (typeof wanted !== 'number' && typeof wanted !== 'string' && !anything) return unsupported()
    const limit = numberIn(wanted, complete)
    return (given) => {
      const number = numberIn(
        deviations.has('String() prints lists and objects') ? textOf(given, knowledge) : given,
        complete,
      )
      if (Number.isFinite(limit) && Number.isFinite(number)) return holds(number - limit)
      if (complete) return false
      const [one, other] = [textOf(given, knowledge), textOf(wanted, knowledge)]
      return holds(one < other ? -1 : one > other ? 1 : 0)
    }
  }

const between =
  (inside: boolean): Rule =>
  (wanted) => {
    const [low = NaN, high = NaN] =
      Array.isArray(wanted) && wanted.length === 2 ? wanted.map((end) => numberIn(end, true)) : []
    return (given) => {
      const number = numberIn(given, true)
      return low <= high && !Number.isNaN(number) && (low <= number && number <= high) === inside
    }
  }

const isoDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|GMT|[+-]\d\d:\d\d))?)?$/u

/** Milliseconds since 1970 of an absolute date: that number itself, or ISO 8601 (in UTC unless it says otherwise). NaN for others. */
const instant = (value: Json, { deviations }: Knowledge): number => {
  if (typeof value === 'number') return new Date(value).getTime()
  if (typeof value !== 'string') return NaN
  const [date = '', time, , , zone] = isoDate.exec(value) ?? []
  const isDate = date !== '' && new Date(date.slice(0, 10)).getUTCDate() === Number(date.slice(8, 10))
  if (!isDate) return deviations.has('a date is what Date reads') ? new Date(value).getTime() : NaN
  const isLocal = time !== undefined && zone === undefined && deviations.has('a date without a zone is local')
  return new Date(time === undefined || zone !== undefined || isLocal ? value : `${value}Z`).getTime()
}

const relative = (value: Json, now: number): number | undefined => {
  const [, digits, unit] = /^-?(\d+)([hdwmy])$/u.exec(printed(value)) ?? []
  if (digits === undefined || Number(digits) >= 10_000) return undefined
  const count = Number(digits)
  if (unit === 'h') return now - count * 3_600_000
  if (unit === 'd') return now - count * 86_400_000
  if (unit === 'w') return now - count * 7 * 86_400_000
  // One step at a time, so that a day once clamped stays clamped.
  const date = new Date(now)
  for (let step = 0; step < count; step++) {
    const day = date.getUTCDate()
    date.setUTCDate(1)
    if (unit === 'm') date.setUTCMonth(date.getUTCMonth() - 1)
    else date.setUTCFullYear(date.getUTCFullYear() - 1)
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(day, last))
  }
  return date.getTime()
}

const dated =
  (holds: (given: number, limit: number) => boolean): Rule =>
  (wanted, knowledge) => {
    const { now, complete } = knowledge
    const limit = relative(wanted, now) ?? instant(wanted, knowledge)
    if (Number.isNaN(limit)) return complete ? () => false : unsupported()
    return (given) => {
      const time = instant(given, knowledge)
      if (Number.isNaN(time)) return complete ? false : unsuited()
      return holds(time, limit)
    }
  }

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

const versionOrder = (holds: (order: number) => boolean): Rule =>
  versioned((wanted, read) => {
    const limit = read(wanted)
    return (given, order) => holds(order(given, limit))
  })

const versionRange = (ends: (wanted: Json, read: (value: Json) => Version) => readonly [Version, Version]): Rule =>
  versioned((wanted, read) => {
    const [low, high] = ends(wanted, read)
    return (given, order) => order(given, low) >= 0 && order(given, high) < 0
  })

const tilde = versionRange((wanted, read) => {
  const low = read(wanted)
  return [low, release(low.numbers[0], low.numbers[1] + 1, 0)]
})

const caret = versionRange((wanted, read) => {
  const low = read(wanted)
  const [major, minor, patch] = low.numbers
  return [low, major > 0 ? release(major + 1, 0, 0) : minor > 0 ? release(0, minor + 1, 0) : release(0, 0, patch + 1)]
})

const wildcard = versionRange((wanted, read) => {
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

const present: Rule = () => () => true

const rules: Readonly<Record<string, Rule>> = {
  exact,
  is_not: negated(exact),
  is_set: present,
  is_not_set: present,
  icontains: contains,
  not_icontains: negated(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negated(containsAny),
  starts_with: starts,
  not_starts_with: negated(starts),
  ends_with: ends,
  not_ends_with: negated(ends),
  regex: regex(true),
  not_regex: regex(false),
  gt: compared((order) => order > 0),
  gte: compared((order) => order >= 0),
  lt: compared((order) => order < 0),
  lte: compared((order) => order <= 0),
  between: between(true),
  not_between: between(false),
  is_date_before: dated((given, limit) => given < limit),
  is_date_after: dated((given, limit) => given > limit),
  is_date_exact: dated((given, limit) => given === limit),
  semver_eq: versionOrder((order) => order === 0),
  semver_neq: versionOrder((order) => order !== 0),
  semver_gt: versionOrder((order) => order > 0),
  semver_gte: versionOrder((order) => order >= 0),
  semver_lt: versionOrder((order) => order < 0),
  semver_lte: versionOrder((order) => order <= 0),
  semver_tilde: tilde,
  semver_caret: caret,
  semver_wildcard: wildcard,
}
