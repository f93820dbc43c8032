import * as fc from 'fast-check'
import LZString from 'lz-string'
import { expect, it } from 'vitest'
import { compressToBase64 } from '../../src/codec/lz-base64.ts'

it.each([
  ['letters of few and of all kinds', fc.string({ unit: fc.constantFrom('a', 'b', 'é', '文'), maxLength: 3_000 })],
  ['any UTF-16 units, also halves of pairs', fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))],
  ['JSON', fc.json({ depthSize: 'large' })],
])('compresses %s to the bytes of lz-string', (_, strings) => {
  fc.assert(fc.property(strings, (input) => compressToBase64(input) === LZString.compressToBase64(input)))
})

it('compresses a long body to the bytes of lz-string', () => {
  const body = Array.from({ length: 2_000 }, (_, index) => `{"event":"page ${index % 7}","n":${index}}`).join()
  expect(compressToBase64(body)).toBe(LZString.compressToBase64(body))
})
