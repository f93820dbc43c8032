import * as fc from 'fast-check'
import { operatorTable } from '../../../../src/evaluate/operators/operator-table.ts'
import { EVENT_FIELDS } from '../../../../src/service/insight/filter/condition.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

/** Names that are hard to quote, or that mean something in a path of JSON, SQL or JavaScript. */
const NAMES = [
  '$session_id', '$browser', 'a.b', "it's", 'say "hi"', '\\', '*', '**', '/a~b', '$', '$.plan', 'a[0]', 'a b',
  'constructor', 'distinct_id', '$group_key', 'é', 'nul\0', "x') OR 1=1 --", '0', '#-1',
] // prettier-ignore

const STRINGS = [
  '', 'Pro', 'pro', 'PRO', 'pro plan', 'true', 'TRUE', 'false', 'null', '0', '1', '10', '9', ' 5 ', '1_0', '.5', '5.', '+7', '1e3', '1e21', '1e+21',
  'NaN', 'Infinity', '0x10', '2026-01-02', '2026-01-02T03:04:05Z', '2026-01-02 03:04', '2026-01-02T03:04:05.1239+02:30', '2026-01-02t00:00 utc',
  '2026-02-30', '2026-01-01T24:00:00Z', '2026-01-01T24:01:00Z', '2026-01-01T10:60', '0000-01-01', '20260102', '2026-13-01', '-30d', '-1m', '12h',
  '1.2.3', 'v1.2', ' V1.2.3 ', '1.2.3-beta.2', '1.2.3-beta.11+build', '1.2.3-beta', '1.2.3-', '01.2', '1.2.*', '1', '1..2', '.1', '1.2.3.4-x',
  '9007199254740993', 'straße', 'STRASSE', 'İstanbul', 'istanbul', 'i\u0307stanbul', 'ISTANBUL', '\u212a', 'k', 'K', 'σοφος', 'ΣΟΦΟΣ', 'É', 'é', 'ж1',
  '日本', '😀', "'; DROP TABLE events; --", "\\' OR 1=1", 'é pro', 'proé', 'a_б', '__', '\0', 'a\0b', 'a\nb', '%', '_', '"a"', '[true]', '["true"]', '{"a":1}', '\u2028',
] // prettier-ignore

const NUMBERS = [
  0,
  1,
  -1,
  1.5,
  9,
  10,
  1000,
  1e21,
  -1.5e300,
  1e-7,
  5e-324,
  2 ** 53,
  1.2,
  1_767_322_805_000,
  8.64e15,
  8.64e15 + 2,
  1e20,
]

const PATTERNS = [
  '', '^pro', 'o$', '^$', '\\d+', '\\D', '\\w', '\\W', '[^\\w]', '[^\\W]', '\\s', '\\S', '[\\D]', '.', '^.$', 'é|ж', '[a-c]{2,3}', '(?:pro|PRO) ?',
  '\\bpro\\b', '\\Bo', '\\b.\\B', '\\b[^\\W]+\\b', '_\\b|[^_]\\b', '\\D\\b', '\\W\\b\\b', '^\\b.*\\b$', '"', '\\.', '[^0-9]', 'x*', '\\x41', '(a|b)*n', '1e\\+', "'", '\\n', '[\\s\\S]', 'ul{1,2}',
] // prettier-ignore

// Mostly one name, so that events have the properties that filters name.
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constant('plan') },
  { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, unit: 'grapheme' }) },
)

const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STRINGS) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(true, false, null) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)

const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 12, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'B'), scalar, { maxKeys: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>([], {}, [true, 'TRUE'], ['true', ['true']], ['pro'], { a: { b: [1] } }),
  },
)

export const properties: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries))

const pattern: fc.Arbitrary<Json> = fc.oneof(fc.constantFrom(...PATTERNS), scalar)
const filterValue: fc.Arbitrary<Json> = fc.oneof({ weight: 4, arbitrary: value }, fc.array(scalar, { maxLength: 3 }))
const range: fc.Arbitrary<Json> = fc.tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...NUMBERS))

const condition: fc.Arbitrary<JsonObject> = fc.constantFrom(...operatorTable.keys()).chain((operator) =>
  fc.record({
    operator: fc.constant(operator),
    value: operator.includes('regex') ? pattern : operator.includes('between') ? range : filterValue,
  }),
)

const leaf = (type: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.tuple(type, name, condition).map(([fields, key, filter]) => Object.assign({ key }, filter, fields))

const personLeaf = leaf(
  fc.constantFrom<JsonObject>({ type: 'person' }, { type: 'person', negation: true }, { type: 'group' }),
)

/** The definition of a cohort; it may name the cohorts below `id`. */
export const cohort = (id: number): fc.Arbitrary<JsonObject> => {
  const reference = fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    operator: fc.constantFrom('in', 'not_in'),
    negation: fc.boolean(),
    value: fc.nat({ max: Math.max(0, id - 1) }),
  })
  return fc.letrec<{ group: JsonObject; entry: JsonObject }>((tie) => ({
    entry: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      personLeaf,
      ...(id > 0 ? [reference] : []),
      tie('group'),
    ),
    group: fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(tie('entry'), { maxLength: 3 }) }),
  })).group
}

const withNegation = (filters: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(filters, fc.constantFrom<JsonObject>({}, {}, { negation: true }, { negation: false }))
    .map(([fields, negation]) => Object.assign({}, fields, negation))

/** A filter, or a group of filters, on events with a group of type 0; `cohortCount` cohorts have the ids from 0. */
export const filter = (cohortCount: number): fc.Arbitrary<JsonObject> => {
  const metadata = fc
    .tuple(fc.constantFrom(...EVENT_FIELDS), condition)
    .map(([key, fields]) => Object.assign({ key, type: 'event_metadata' }, fields))
  const cohortFilter = fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.nat({ max: cohortCount - 1 }),
  })
  const types = fc.constantFrom<JsonObject>(
    {},
    { type: 'event' },
    { type: 'event' },
    { type: 'person' },
    { type: 'group', group_type_index: 0 },
  )
  return fc.letrec<{ group: JsonObject; entry: JsonObject }>((tie) => ({
    entry: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 8, arbitrary: withNegation(leaf(types)) },
      { weight: 1, arbitrary: withNegation(metadata) },
      { weight: 1, arbitrary: withNegation(cohortFilter) },
      { weight: 2, arbitrary: tie('group') },
    ),
    group: fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(tie('entry'), { maxLength: 3 }) }),
  })).entry
}
