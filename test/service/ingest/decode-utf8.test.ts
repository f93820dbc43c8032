import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8 } from '../../../src/service/ingest/decode-utf8.ts'

/** Encodes each UTF-16 unit separately. */
const encodeCesu8 = (text: string): Buffer =>
  Buffer.concat(
    text.split('').map((unit) => {
      const code = unit.charCodeAt(0)
      return /[\uD800-\uDFFF]/.test(unit)
        ? Buffer.from([0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(unit)
    }),
  )

test('decodes any string from UTF-8 and from CESU-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeUtf8(Buffer.from(text))).toBe(text)
      expect(decodeUtf8(encodeCesu8(text))).toBe(text)
    }),
  )
})

test('decodes a lone surrogate as the replacement character', () => {
  expect(decodeUtf8(encodeCesu8('a\uD83Cb'))).toBe('a\uFFFDb')
  expect(decodeUtf8(encodeCesu8('\uDF89\uD83C\uDF89'))).toBe('\uFFFD🎉')
})

test.each([[[0xff]], [[0xc3]], [[0xed, 0xa0]], [[0x61, 0xed, 0xa0, 0x20]], [[0xc0, 0x80]]])(
  'rejects the bytes %j',
  (bytes) => {
    expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 'invalid_utf8' }) }),
    )
  },
)
