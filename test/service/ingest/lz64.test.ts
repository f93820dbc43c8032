import * as fc from 'fast-check'
import lzString from 'lz-string'
import { expect, test } from 'vitest'
import { readLz64 } from '../../../src/service/ingest/lz64.ts'

const units = fc.string({ unit: 'binary', maxLength: 400 })

test('reads every text that lz-string writes, lone surrogates included', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        units,
        fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
      ),
      (text) => {
        expect(readLz64(lzString.compressToBase64(text), 1e6)).toEqual({ text })
      },
    ),
    { numRuns: 500 },
  )
})

test('reads repetitive and long texts, where phrases overlap their own copy', () => {
  for (const text of [
    '',
    'a',
    'aaaaaaa',
    'abababab'.repeat(1000),
    JSON.stringify(Array.from({ length: 5000 }, (_, at) => ({ at }))),
  ]) {
    expect(readLz64(lzString.compressToBase64(text), 1e6)).toEqual({ text })
  }
})

test('stops at the bound', () => {
  const packed = lzString.compressToBase64('a'.repeat(1000))
  expect(readLz64(packed, 1000)).toEqual({ text: 'a'.repeat(1000) })
  expect(readLz64(packed, 999)).toEqual({ failure: 'too_large' })
})

test('says so, and ends, for anything that is not such a text', () => {
  fc.assert(
    fc.property(fc.base64String(), fc.string(), (base64, text) => {
      for (const input of [base64, text]) {
        const read = readLz64(input, 10_000)
        if ('text' in read) expect(lzString.decompressFromBase64(input)).toBe(read.text)
      }
    }),
    { numRuns: 500 },
  )
  expect(readLz64('not base64!', 100)).toEqual({ failure: 'malformed' })
  expect(readLz64('', 100)).toEqual({ failure: 'malformed' })
})
