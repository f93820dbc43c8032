import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../../src/evaluate/evaluation.ts'
import { parseRelativeDate } from '../../../src/evaluate/operators/parse-date.ts'
import { parseVersion } from '../../../src/evaluate/operators/version.ts'
import type { PropertyFilter } from '../../../src/wire/definition.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'
import { hasVectors, readVectors } from '../../support/vectors.ts'

type Outcome = 'match' | 'no_match' | 'inconclusive'
type PropertyInput = Json | { readonly $undefined: true } | { readonly $date: string } | { readonly $pydate: string }

interface Row {
  readonly id: string
  readonly filter: PropertyFilter
  readonly properties: Readonly<Record<string, PropertyInput>>
  readonly expected: Outcome
  readonly validated: boolean
  readonly now?: string
  readonly property_matching_version?: number
}

interface Primitives {
  readonly relative_dates: readonly { readonly input: string; readonly now: string; readonly expected: string | null }[]
  readonly semver_parse: readonly { readonly input: string; readonly expected: readonly number[] | 'inconclusive' }[]
}

/** Converts dates to their JSON form. */
const toProperty = (property: PropertyInput): Json | undefined => {
  if (typeof property !== 'object' || property === null) return property
  if ('$undefined' in property) return undefined
  if ('$date' in property) return property['$date']!
  return '$pydate' in property ? property['$pydate']! : property
}

const evaluateRow = (row: Row): Outcome => {
  const { flags } = compile({
    flags: [{ id: 1, key: 'f', active: true, filters: { groups: [{ properties: [row.filter] }] } }],
    property_matching_version: row.property_matching_version ?? null,
  })
  const personProperties = Object.fromEntries(
    Object.entries(row.properties).map(([key, property]) => [key, toProperty(property)]),
  ) as JsonObject
  const now = row.now === undefined ? 0 : Date.parse(row.now)
  const context = evaluationContext({ distinctId: 'u', personProperties, complete: false, now })
  const { value } = evaluateFlag(flags.get('f')!, context)
  return value === undefined ? 'inconclusive' : value ? 'match' : 'no_match'
}

/** Our results for the rows on which implementations disagree. The first entry that applies counts; `operatorTable` has the reasons. */
const decisions: readonly {
  readonly subject: string
  readonly applies: (row: Row, property: PropertyInput | undefined) => boolean
  readonly expected: Outcome
}[] = [
  {
    subject: 'a property with the value undefined',
    applies: (_row, property) => typeof property === 'object' && property !== null && '$undefined' in property,
    expected: 'inconclusive',
  },
  {
    subject: 'null compared as the string "null" or tested for presence',
    applies: (_row, property) => property === null,
    expected: 'match',
  },
  {
    subject: 'is_not_set of a missing property',
    applies: (row, property) => property === undefined && row.filter.operator === 'is_not_set',
    expected: 'inconclusive',
  },
  {
    subject: 'a number of milliseconds or a day before the date',
    applies: (row) => row.filter.operator === 'is_date_before',
    expected: 'match',
  },
  {
    subject: 'a number of milliseconds that is not after the date',
    applies: (row) => row.filter.operator === 'is_date_after',
    expected: 'no_match',
  },
]

describe.skipIf(!hasVectors)('vectors of other implementations', () => {
  const { rows } = hasVectors
    ? (readVectors('property-operators.json') as { readonly rows: readonly Row[] })
    : { rows: [] }

  it('have the same result for each operator', () => {
    const validated = rows.filter((row) => row.validated)
    const differences = validated.filter((row) => evaluateRow(row) !== row.expected)
    expect(differences.map((row) => [row.id, row.filter, row.properties, row.expected, evaluateRow(row)])).toEqual([])
    expect(validated.length).toBeGreaterThan(500)
  })

  it.each(decisions)('differ from this implementation on $subject, which is $expected', ({ subject, expected }) => {
    const disputed = rows.filter((row) => !row.validated)
    const rowsOfDecision = disputed.filter((row) => {
      const property = row.properties[row.filter.key]
      return decisions.find((decision) => decision.applies(row, property))?.subject === subject
    })
    expect(rowsOfDecision.length).toBeGreaterThan(0)
    expect(rowsOfDecision.map((row) => [row.id, evaluateRow(row)])).toEqual(
      rowsOfDecision.map((row) => [row.id, expected]),
    )
  })

  it('contain no other difference', () => {
    const undecided = rows.filter(
      (row) => !row.validated && !decisions.some((decision) => decision.applies(row, row.properties[row.filter.key])),
    )
    expect(undecided).toEqual([])
  })

  it('have the same relative dates', () => {
    const { relative_dates: dates } = readVectors('primitives.json') as Primitives
    const actual = dates.map(({ input, now }) => {
      const timestamp = parseRelativeDate(input)?.(Date.parse(now))
      return timestamp === undefined ? null : new Date(timestamp).toISOString()
    })
    expect(actual).toEqual(dates.map((row) => row.expected))
  })

  it('have the same valid versions', () => {
    const { semver_parse: versions } = readVectors('primitives.json') as Primitives
    const actual = versions.map(({ input }) => {
      const version = parseVersion(input)
      return version?.isStrict ? version.numbers : 'inconclusive'
    })
    expect(actual).toEqual(versions.map((row) => row.expected))
  })
})
