import * as fc from 'fast-check'
import LZString from 'lz-string'
import { expect, it } from 'vitest'
import { lz64Form } from '../../src/codec/lz64.ts'

it('can be decoded as a form and by LZString, for any string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500 }), (text) => {
      const form = new URLSearchParams(lz64Form(text))
      expect([...form.keys()]).toEqual(['data', 'compression'])
      expect(form.get('compression')).toBe('lz64')
      expect(LZString.decompressFromBase64(form.get('data')!)).toBe(text)
    }),
  )
})

it('escapes characters that a form would decode as a space', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => !/[+/ ]/.test(lz64Form(text))))
})
