import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUtf8 } from '../../../src/service/ingest/read-utf8.ts'

/** Each UTF-16 unit by itself as UTF-8 has it. */
const cesu8 = (text: string): Buffer =>
  Buffer.concat(
    text.split('').map((unit) => {
      const code = unit.charCodeAt(0)
      return /[\uD800-\uDFFF]/.test(unit)
        ? Buffer.from([0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(unit)
    }),
  )

test('reads any text from UTF-8 and from CESU-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(readUtf8(Buffer.from(text))).toBe(text)
      expect(readUtf8(cesu8(text))).toBe(text)
    }),
  )
})

test('reads half a pair as the replacement character', () => {
  expect(readUtf8(cesu8('a\uD83Cb'))).toBe('a\uFFFDb')
  expect(readUtf8(cesu8('\uDF89\uD83C\uDF89'))).toBe('\uFFFD🎉')
})

test.each([[[0xff]], [[0xc3]], [[0xed, 0xa0]], [[0x61, 0xed, 0xa0, 0x20]], [[0xc0, 0x80]]])(
  'refuses the bytes %j',
  (bytes) => {
    expect(() => readUtf8(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 'invalid_utf8' }) }),
    )
  },
)
