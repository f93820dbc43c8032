import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundJson } from '../../src/capture/bound-json.ts'
import { mayExceedBounds } from '../../src/capture/may-exceed-bounds.ts'
import { MAX_EVENT_LEVELS, MAX_ID_CHARACTERS } from '../../src/wire/bounds.ts'
import { isDeeperThan } from '../../src/wire/is-deeper-than.ts'
import { isRecord } from '../../src/wire/json.ts'
import type { Json } from '../../src/wire/json.ts'

const isLong = (value: Json): boolean => typeof value === 'string' && value.length > MAX_ID_CHARACTERS

/** Whether a name is too long, or a value of a property whose values have a bound. */
const hasLongNameOrId = (value: Json): boolean => {
  if (Array.isArray(value)) return value.some(hasLongNameOrId)
  if (!isRecord(value)) return false
  return Object.entries(value).some(
    ([name, inner]) =>
      isLong(name) ||
      (ID_NAMES.includes(name) && isLong(inner)) ||
      (name === '$groups' && isRecord(inner) && Object.values(inner).some(isLong)) ||
      hasLongNameOrId(inner),
  )
}
const ID_NAMES = ['distinct_id', '$device_id', '$anon_distinct_id', 'alias', '$group_type', '$group_key']

/** Strings near the bound, of characters that JSON escapes and others. */
const strings = fc
  .tuple(
    fc.constantFrom('a', '"', '\\', '\\"', '"\\', 'é', '\n'),
    fc.constantFrom(1, 5, 199, 200, 201, 399, 400, 401, 402),
  )
  .map(([part, count]) => part.repeat(count))
const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    strings,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(strings, fc.constantFrom(...ID_NAMES, '$groups')), tie('value'), { maxKeys: 4 }),
  ),
}))

it('finds every name and id that is too long', () => {
  fc.assert(
    fc.property(values, (value) => {
      if (hasLongNameOrId(value)) expect(mayExceedBounds(JSON.stringify(value))).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

it('is false for strings of the greatest length, next to each other', () => {
  const longest = 'a'.repeat(MAX_ID_CHARACTERS)
  expect(mayExceedBounds(JSON.stringify({ [longest]: longest, b: [longest, longest] }))).toBe(false)
  expect(mayExceedBounds(JSON.stringify({ [`${longest}a`]: 1 }))).toBe(true)
  expect(mayExceedBounds(JSON.stringify([`${longest}a`]))).toBe(true)
  expect(mayExceedBounds(JSON.stringify({ a: `${longest}a`, b: `${longest}\\`, c: 1 }))).toBe(false)
})

it('finds values that nest too deep', () => {
  const nest = (levels: number): string => '[{"a":'.repeat(levels / 2) + 1 + '}]'.repeat(levels / 2)
  expect(isDeeperThan(JSON.parse(nest(MAX_EVENT_LEVELS + 2)), MAX_EVENT_LEVELS)).toBe(true)
  expect(mayExceedBounds(nest(MAX_EVENT_LEVELS + 2))).toBe(true)
  expect(mayExceedBounds(nest(MAX_EVENT_LEVELS - 2))).toBe(false)
})

it('a long value is within the bounds, and a long name is not', () => {
  const event = (properties: object): string => JSON.stringify({ event: 'e', distinct_id: 'd', properties })
  const long = event({ text: 'a'.repeat(5_000) })
  expect(boundJson(long)).toBe(long)
  expect(boundJson(event({ ['a'.repeat(5_000)]: 1 }))).toBe(event({}))
})
