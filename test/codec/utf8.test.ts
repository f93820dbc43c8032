import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { utf8Length } from '../../src/codec/utf8.ts'

it('counts the bytes that encoders write, also for lone surrogates', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0xd800, max: 0xdfff }),
    fc.constantFrom(0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xffff),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      const input = String.fromCharCode(...units)
      expect(utf8Length(input)).toBe(Buffer.byteLength(input))
    }),
    { numRuns: 1000 },
  )
})
