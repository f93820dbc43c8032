import { describe, expect, it } from 'vitest'
import { FilterError } from '../../../../src/service/insight/filter/filter-error.ts'
import { parseFilters } from '../../../../src/service/insight/filter/parse-filters.ts'
import type { CohortDefinition } from '../../../../src/wire/definition.ts'
import { filterContext } from '../filter-context.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

const cohorts: Readonly<Record<string, CohortDefinition>> = {
  '1': {
    type: 'OR',
    values: [
      { key: 'plan', value: 'pro' },
      { key: 'id', type: 'cohort', value: 2 },
    ],
  },
  '2': {},
  '3': { type: 'AND', values: [{ key: 'beta', type: 'flag', value: true }] },
  '4': { type: 'AND', values: [{ key: 'id', type: 'cohort', value: 4 }] },
}
const context = filterContext({ groupTypes: { '0': 'company', '2': 'team' }, cohorts })
const parse = (input: Json | undefined) => parseFilters(input, 'properties', context)

describe('parseFilters', () => {
  it.each<Json | undefined>([undefined, null, [], {}, [{}], { type: 'AND', values: [] }, { type: 'OR', values: [] }])(
    'matches every event with %j',
    (input) => {
      expect(parse(input)).toEqual({ kind: 'all', conditions: [] })
    },
  )

  it.each<[JsonObject, boolean]>([
    [{ key: 'a', value: 1, negation: true }, true],
    [{ key: 'a', value: 1, negation: false }, false],
    [{ key: 'a', value: 1, negation: null }, false],
    [{ key: 'a', value: 1, type: 'person', negation: true }, true],
    [{ key: 'a', value: 1, type: 'group', group_type_index: 0, negation: true }, true],
    [{ key: 'event', value: 'a', type: 'event_metadata', negation: true }, true],
  ])('inverts %j: %j', (filter, isNegated) => {
    expect(parse([filter])).toMatchObject({ kind: 'property', isNegated })
  })

  it('inverts membership in a cohort, and each filter in it', () => {
    const member = (fields: JsonObject): JsonObject => ({ key: 'id', type: 'cohort', value: 1, ...fields })
    expect(parse(member({ negation: true }))).toEqual(parse(member({ operator: 'not_in' })))
    expect(parse(member({ negation: true, operator: 'not_in' }))).toEqual(parse(member({})))
    expect(parse(member({ negation: true }))).toMatchObject({
      condition: { kind: 'all', conditions: [{ isNegated: true }, {}] },
    })
  })

  it('reads types and groups as clients send them', () => {
    const leaf = (key: string, fields: JsonObject): JsonObject => ({
      key,
      value: 'x',
      label: 'shown to users',
      ...fields,
    })
    const input: Json = {
      type: 'OR',
      values: [
        { type: 'AND', values: [leaf('a', {}), leaf('$feature/b', { type: 'feature' })] },
        leaf('c', { type: 'person', operator: 'icontains' }),
        leaf('d', { type: 'group', group_type_index: 2 }),
        leaf('event', { type: 'event_metadata' }),
      ],
    }
    expect(parse(input)).toMatchObject({
      kind: 'any',
      conditions: [
        {
          kind: 'all',
          conditions: [
            { name: 'a', source: { of: 'event' }, operator: 'exact', path: 'properties.values[0].values[0]' },
            { name: '$feature/b', source: { of: 'event' } },
          ],
        },
        { name: 'c', source: { of: 'person' }, operator: 'icontains' },
        { name: 'd', source: { of: 'group', type: 'team' } },
        { name: 'event', source: { of: 'event_metadata' } },
      ],
    })
  })

  it('replaces a cohort by its conditions, and negates them for "not_in"', () => {
    expect(parse([{ key: 'id', type: 'cohort', value: 1, operator: 'not_in' }])).toMatchObject({
      kind: 'cohort',
      condition: {
        kind: 'all',
        conditions: [
          { name: 'plan', source: { of: 'person' }, isNegated: true },
          { kind: 'cohort', condition: { kind: 'any', conditions: [] } },
        ],
      },
    })
  })

  it('parses a cohort once', () => {
    const filters = [1, 2, 1].map((value) => ({ key: 'id', type: 'cohort', value }))
    const { conditions } = parse(filters) as { readonly conditions: readonly unknown[] }
    expect(conditions[0]).toBe(conditions[2])
    expect(conditions[0]).toBe(parse(filters[0]))
    const [, nested] = (conditions[0] as { readonly condition: { readonly conditions: readonly unknown[] } }).condition
      .conditions
    expect(nested).toBe(conditions[1])
  })

  it.each([
    [100, true],
    [101, false],
  ])('accepts a chain of %i cohorts: %s, in whatever order they are parsed', (length, isAccepted) => {
    const chain = Array.from({ length }, (_, id) => [id, id === 0 ? {} : { key: 'id', type: 'cohort', value: id - 1 }])
    const chained = { ...context, cohorts: Object.fromEntries(chain) as Record<string, CohortDefinition> }
    const last = { key: 'id', type: 'cohort', value: length - 1 }
    for (const filters of [[last], [{ ...last, value: 50 }, last]]) {
      const parseChain = () => parseFilters(filters, 'properties', chained)
      if (isAccepted) expect(parseChain).not.toThrow()
      else expect(parseChain).toThrow('is nested in more than 100 groups and cohorts')
    }
  })

  it.each<[Json, string]>([
    ['x', 'properties must be an object'],
    [[1], 'properties[0] must be an object'],
    [[{ value: 1 }], 'properties[0].key must be a non-empty string'],
    [[{ key: 'a' }], 'properties[0].value is missing'],
    [
      [{ key: 'a', value: 1, operator: 'is_cleaned_path_exact' }],
      'properties[0].operator must be one of exact, is_not, ',
    ],
    [
      [{ key: 'a', value: 'x', operator: 'is_date_before' }],
      'properties[0].value cannot be used: is_date_before needs a date',
    ],
    [[{ key: 'a', value: '(', operator: 'regex' }], 'properties[0].value cannot be used: regex is not a valid regular'],
    ...['[\\w-.]', '(?:)*'].map((value): [Json, string] => [
      [{ key: 'a', value, operator: 'not_regex' }],
      'properties[0].value cannot be used: not_regex is not a valid regular',
    ]),
    [
      [{ key: 'a', value: '(?=a)', operator: 'regex' }],
      'properties[0].value cannot be used: regex the pattern uses lookaround',
    ],
    [
      [{ key: 'a', value: [2, 1], operator: 'between' }],
      'properties[0].value cannot be used: between needs a list of two',
    ],
    [[{ key: '1 = 1', type: 'hogql' }], 'properties[0].type must be one of event, '],
    [[{ key: 'x', value: 1, type: 'event_metadata' }], 'properties[0].key must be one of event, distinct_id, '],
    [
      [{ key: 'x', value: 1, type: 'group', group_type_index: 1 }],
      'properties[0].group_type_index must be one of 0 (company), 2 (team)',
    ],
    [{ type: 'XOR', values: [] }, 'properties.type must be "AND" or "OR"'],
    [{ type: 'AND' }, 'properties.values must be an array'],
    [[{ key: 'id', type: 'cohort', value: 9 }], 'properties[0].value refers to cohort 9, which does not exist'],
    [[{ key: 'id', type: 'cohort', value: 'constructor' }], 'properties[0].value refers to cohort constructor, which'],
    [[{ key: 'id', type: 'cohort', value: 1, operator: 'gt' }], 'properties[0].operator must be "in" or "not_in"'],
    [[{ key: 'id', type: 'cohort', value: 3 }], 'cohort 3.values[0] depends on a flag'],
    [[{ key: 'id', type: 'cohort', value: 4 }], 'cohort 4.values[0].value refers to cohort 4, which contains itself'],
  ])('refuses %j', (input, message) => {
    expect(() => parse(input)).toThrow(FilterError)
    expect(() => parse(input)).toThrow(message)
  })

  it('refuses groups that are nested too deeply', () => {
    let input: Json = { key: 'a', value: 1 }
    for (let depth = 0; depth < 21; depth++) input = { type: 'AND', values: [input] }
    expect(() => parse(input)).toThrow('is nested in more than 20 groups')
  })
})
