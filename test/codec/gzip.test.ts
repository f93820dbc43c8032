import * as fc from 'fast-check'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gzipSync } from '../../src/codec/gzip.ts'

it('can be decompressed by another gunzip, for any string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
      expect(gunzipSync(gzipSync(text)).toString('utf8')).toBe(text)
    }),
  )
})

it('gives equal bytes for equal strings, without a time in the header', () => {
  const bytes = gzipSync('same')
  expect(Array.from(bytes.subarray(0, 8))).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
})
