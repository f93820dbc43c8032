import * as fc from 'fast-check'
import LZString from 'lz-string'
import { expect, it } from 'vitest'
import { lz64Form } from '../../src/codec/lz64.ts'

it('encodes any string as a form whose data LZString can decompress', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500 }), (json) => {
      const form = new URLSearchParams(lz64Form(json))
      expect([...form.keys()]).toEqual(['data', 'compression'])
      expect(form.get('compression')).toBe('lz64')
      expect(LZString.decompressFromBase64(form.get('data')!)).toBe(json)
    }),
  )
})

it('escapes characters that a form would decode as a space', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (json) => !/[+/ ]/.test(lz64Form(json))))
})
