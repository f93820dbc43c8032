import { expect, it } from 'vitest'
import { haveSameJson } from '../../src/lib/have-same-json.ts'

it.each([
  [{ a: [1, undefined] }, { a: [1, null], b: undefined }, true],
  [new Date(5), new Date(5), true],
  [undefined, undefined, true],
  [{ a: 1 }, { a: 2 }, false],
  [{}, undefined, false],
])('compares the JSON of %j and %j', (a, b, isSame) => {
  expect(haveSameJson(a, b)).toBe(isSame)
})
