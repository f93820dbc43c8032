import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIsoTime } from '../../../src/capture/node/iso-time.ts'

/** As far as a `Date` goes. */
const END = 8.64e15

it('writes any moments, in any order, as Date does', () => {
  const near = fc.integer({ min: -3_000, max: 3_000 })
  const anywhere = fc.integer({ min: -END, max: END })
  fc.assert(
    fc.property(fc.array(fc.oneof(near, anywhere), { minLength: 1, maxLength: 50 }), (moments) => {
      expect(moments.map(createIsoTime())).toEqual(moments.map((at) => new Date(at).toISOString()))
    }),
    { examples: [[[-END, END, 0, -1, 999, 1_000]]] },
  )
})

it('leaves out parts of a millisecond', () => {
  expect([1.9, 999.9, 1_000.1].map(createIsoTime())).toEqual([
    '1970-01-01T00:00:00.001Z',
    '1970-01-01T00:00:00.999Z',
    '1970-01-01T00:00:01.000Z',
  ])
})
