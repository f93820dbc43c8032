import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { estimateBytes } from '../../../src/service/indexer/estimate-bytes.ts'

test('the estimate is at least the strings and at most a few times the JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const json = JSON.stringify(value)
      const estimate = estimateBytes(value as Json)
      expect(estimate).toBeGreaterThanOrEqual(json.replaceAll(/[^a-z]/g, '').length / 3)
      expect(estimate).toBeLessThanOrEqual(24 * json.length)
    }),
  )
  expect(estimateBytes({ a: 'x'.repeat(1000), b: ['y'.repeat(500), { c: 'z'.repeat(100) }] })).toBeGreaterThan(1600)
})

test('a value that cannot be serialized is refused, one that is nested deeply is not', () => {
  const nest = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json
  expect(estimateBytes(nest(1500))).toBeGreaterThan(1500)
  expect(() => estimateBytes(nest(1_000_000))).toThrow(RangeError)
})
