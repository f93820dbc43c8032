import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { shareOut } from './share-out.mjs'

const weights = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 50 })
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

it('gives away the whole number, in proportion', () => {
  fc.assert(
    fc.property(weights, fc.nat(1_000_000), (given, total) => {
      const shares = shareOut(total, given)
      fc.pre(sum(given) > 0)
      expect(sum(shares)).toBe(total)
      for (const [index, share] of shares.entries())
        expect(Math.abs(share - (total * given[index]!) / sum(given))).toBeLessThanOrEqual(1)
    }),
  )
})

it('gives nobody more than it asks for when there is less than all ask for', () => {
  fc.assert(
    fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (needs, part) => {
      const shares = shareOut(Math.floor(sum(needs) * part), needs)
      for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(needs[index]!)
    }),
  )
})

it('gives nothing to those who need nothing', () => {
  expect(shareOut(10, [0, 0])).toEqual([0, 0])
  expect(shareOut(10, [0, 1, 0])).toEqual([0, 10, 0])
})
