import * as fc from 'fast-check'
import LZString from 'lz-string'
import { expect, it } from 'vitest'
import { lz64Form } from '../../src/codec/lz64.ts'

it('writes what LZString writes, for any units, long runs and many of them', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', 'b', 'é', '漢', '\ud800'), maxLength: 3_000 }),
    fc.array(fc.json(), { maxLength: 20 }).map((values) => values.join().repeat(5)),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(new URLSearchParams(lz64Form(text)).get('data')).toBe(LZString.compressToBase64(text))
    }),
    { numRuns: 200 },
  )
})

it('gives back every text through a form decoder and LZString', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500 }), (text) => {
      const form = new URLSearchParams(lz64Form(text))
      expect([...form.keys()]).toEqual(['data', 'compression'])
      expect(form.get('compression')).toBe('lz64')
      expect(LZString.decompressFromBase64(form.get('data')!)).toBe(text)
    }),
  )
})

it('escapes what a form would read as a space', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => !/[+/ ]/.test(lz64Form(text))))
})
