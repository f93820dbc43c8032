import * as fc from 'fast-check'
import lzString from 'lz-string'
import { expect, test } from 'vitest'
import { decodeLz64 } from '../../../src/service/ingest/decode-lz64.ts'

const units = fc.string({ unit: 'binary', maxLength: 400 })

test('decodes every string that lz-string encodes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        units,
        fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
      ),
      (text) => {
        expect(decodeLz64(lzString.compressToBase64(text), 1e6)).toEqual({ string: text })
      },
    ),
    { numRuns: 500 },
  )
})

test('decodes repetitive and long strings, whose phrases overlap', () => {
  for (const text of [
    '',
    'a',
    'aaaaaaa',
    'abababab'.repeat(1000),
    JSON.stringify(Array.from({ length: 5000 }, (_, at) => ({ at }))),
  ]) {
    expect(decodeLz64(lzString.compressToBase64(text), 1e6)).toEqual({ string: text })
  }
})

test('stops decoding at the maximum size', () => {
  const packed = lzString.compressToBase64('a'.repeat(1000))
  expect(decodeLz64(packed, 1000)).toEqual({ string: 'a'.repeat(1000) })
  expect(decodeLz64(packed, 999)).toEqual({ failure: 'too_large' })
})

test('decodes any string as lz-string does, or reports it as malformed', () => {
  fc.assert(
    fc.property(fc.base64String(), fc.string(), (base64, text) => {
      for (const input of [base64, text]) {
        const result = decodeLz64(input, 10_000)
        if ('string' in result) expect(lzString.decompressFromBase64(input)).toBe(result.string)
      }
    }),
    { numRuns: 500 },
  )
  expect(decodeLz64('not base64!', 100)).toEqual({ failure: 'malformed' })
  expect(decodeLz64('', 100)).toEqual({ failure: 'malformed' })
})
