import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeUtf8 } from '../../src/codec/portable-utf8.ts'

afterEach(() => vi.unstubAllGlobals())

describe.each([
  ['with the engine’s TextEncoder', false],
  ['without TextEncoder', true],
])('UTF-8 %s', (_name, isMissing) => {
  it('encodes any string as encoders do, also lone surrogates', () => {
    if (isMissing) vi.stubGlobal('TextEncoder', undefined)
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.constantFrom(0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const input = String.fromCharCode(...units)
        const bytes = Buffer.from(encodeUtf8(input))
        expect(bytes.toString('hex')).toBe(Buffer.from(input).toString('hex'))
      }),
      { numRuns: 1000 },
    )
  })
})
