import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../src/evaluate/evaluation.ts'
import { relativeMoment } from '../../../src/evaluate/operators/moment.ts'
import { parseVersion } from '../../../src/evaluate/operators/version.ts'
import type { PropertyFilter } from '../../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { hasVectors, readVectors } from '../../support/vectors.ts'

type Word = 'match' | 'no_match' | 'inconclusive'
type Given = Json | { readonly $undefined: true } | { readonly $date: string } | { readonly $pydate: string }

interface Row {
  readonly id: string
  readonly filter: PropertyFilter
  readonly properties: Readonly<Record<string, Given>>
  readonly expected: Word
  readonly validated: boolean
  readonly now?: string
  readonly property_matching_version?: number
}

interface Primitives {
  readonly relative_dates: readonly { readonly input: string; readonly now: string; readonly expected: string | null }[]
  readonly semver_parse: readonly { readonly input: string; readonly expected: readonly number[] | 'inconclusive' }[]
}

/** Dates as JSON carries them. */
const propertyOf = (given: Given): Json | undefined => {
  if (typeof given !== 'object' || given === null) return given
  if ('$undefined' in given) return undefined
  if ('$date' in given) return given['$date']!
  return '$pydate' in given ? given['$pydate']! : given
}

const verdictOn = (row: Row): Word => {
  const { flags } = compile({
    flags: [{ id: 1, key: 'f', active: true, filters: { groups: [{ properties: [row.filter] }] } }],
    property_matching_version: row.property_matching_version ?? null,
  })
  const personProperties = Object.fromEntries(
    Object.entries(row.properties).map(([key, given]) => [key, propertyOf(given)]),
  ) as JsonObject
  const now = row.now === undefined ? 0 : Date.parse(row.now)
  const context = evaluationContext({ distinctId: 'u', personProperties, complete: false, now })
  const { value } = evaluateFlag(flags.get('f')!, context)
  return value === undefined ? 'inconclusive' : value ? 'match' : 'no_match'
}

/** What holds where implementations disagree, by the property; the reasons are in the table of `operatorTable`. */
const decisions: readonly {
  readonly of: string
  readonly is: (row: Row, given: Given | undefined) => boolean
  readonly expected: Word
}[] = [
  {
    of: 'a property that is undefined',
    is: (_row, given) => typeof given === 'object' && given !== null && '$undefined' in given,
    expected: 'inconclusive',
  },
  {
    of: 'null beside what its text does not contain, or set',
    is: (_row, given) => given === null,
    expected: 'match',
  },
  {
    of: 'a property that is missing, asked for being not set',
    is: (row, given) => given === undefined && row.filter.operator === 'is_not_set',
    expected: 'inconclusive',
  },
  {
    of: 'a number of milliseconds or a day before the date',
    is: (row) => row.filter.operator === 'is_date_before',
    expected: 'match',
  },
  {
    of: 'a number of milliseconds that is not after the date',
    is: (row) => row.filter.operator === 'is_date_after',
    expected: 'no_match',
  },
]

describe.skipIf(!hasVectors)('vectors of other implementations', () => {
  const { rows } = hasVectors
    ? (readVectors('property-operators.json') as { readonly rows: readonly Row[] })
    : { rows: [] }

  it('agree on every operator', () => {
    const validated = rows.filter((row) => row.validated)
    const differences = validated.filter((row) => verdictOn(row) !== row.expected)
    expect(differences.map((row) => [row.id, row.filter, row.properties, row.expected, verdictOn(row)])).toEqual([])
    expect(validated.length).toBeGreaterThan(500)
  })

  it.each(decisions)('disagree on $of: it is $expected', ({ of, expected }) => {
    const disputed = rows.filter((row) => !row.validated)
    const own = disputed.filter((row) => {
      const given = row.properties[row.filter.key]
      return decisions.find((decision) => decision.is(row, given))?.of === of
    })
    expect(own.length).toBeGreaterThan(0)
    expect(own.map((row) => [row.id, verdictOn(row)])).toEqual(own.map((row) => [row.id, expected]))
  })

  it('leave no disagreement undecided', () => {
    const undecided = rows.filter(
      (row) => !row.validated && !decisions.some((decision) => decision.is(row, row.properties[row.filter.key])),
    )
    expect(undecided).toEqual([])
  })

  it('agree on relative dates', () => {
    const { relative_dates: dates } = readVectors('primitives.json') as Primitives
    const found = dates.map(({ input, now }) => {
      const moment = relativeMoment(input)?.(Date.parse(now))
      return moment === undefined ? null : new Date(moment).toISOString()
    })
    expect(found).toEqual(dates.map((row) => row.expected))
  })

  it('agree on what is a version', () => {
    const { semver_parse: versions } = readVectors('primitives.json') as Primitives
    const found = versions.map(({ input }) => {
      const version = parseVersion(input)
      return version?.strict ? version.numbers : 'inconclusive'
    })
    expect(found).toEqual(versions.map((row) => row.expected))
  })
})
