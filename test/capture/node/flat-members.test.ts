import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { flatMembers } from '../../../src/capture/node/flat-members.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('__proto__', '1', '\ud800', '"', '\\'),
)
const flat = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

it('writes flat objects to the character as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.dictionary(text, flat, { maxKeys: 6 }), (given) => {
      expect(`{${flatMembers(given)}}`).toBe(JSON.stringify(given))
    }),
    { examples: [[{}], [{ zero: -0, tiny: 5e-324, large: 1e21 }]] },
  )
})

it('leaves an object to others that holds anything else', () => {
  const others = [undefined, NaN, Infinity, 7n, Symbol('s'), () => 1, {}, [], new Date(0), Object(1)]
  for (const other of others) expect(flatMembers({ a: 1, other })).toBeUndefined()
})

it('leaves out what is inherited or not enumerable', () => {
  const given = Object.create({ inherited: 1 }, { hidden: { value: 1 }, own: { value: 1, enumerable: true } })
  expect(flatMembers(given)).toBe('"own":1')
})
