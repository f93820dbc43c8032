import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { serialiseFlatMembers } from '../../../src/capture/node/serialise-flat-members.ts'

const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('__proto__', '1', '\ud800', '"', '\\'),
)
const flatValue = fc.oneof(
  anyString,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

it('writes flat objects exactly as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.dictionary(anyString, flatValue, { maxKeys: 6 }), (source) => {
      expect(`{${serialiseFlatMembers(source)}}`).toBe(JSON.stringify(source))
    }),
    { examples: [[{}], [{ zero: -0, tiny: 5e-324, large: 1e21 }]] },
  )
})

it('returns undefined for an object with a value of any other type', () => {
  const otherValues = [undefined, NaN, Infinity, 7n, Symbol('s'), () => 1, {}, [], new Date(0), Object(1)]
  for (const value of otherValues) expect(serialiseFlatMembers({ a: 1, value })).toBeUndefined()
})

it('leaves out inherited and non-enumerable properties', () => {
  const source = Object.create({ inherited: 1 }, { hidden: { value: 1 }, own: { value: 1, enumerable: true } })
  expect(serialiseFlatMembers(source)).toBe('"own":1')
})
