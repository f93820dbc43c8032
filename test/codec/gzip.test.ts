import * as fc from 'fast-check'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gzipSync } from '../../src/codec/gzip.ts'

it("compresses any string so that Node's gunzip can decompress it", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (input) => {
      expect(gunzipSync(gzipSync(input)).toString('utf8')).toBe(input)
    }),
  )
})

it('writes no time into the header, so that equal strings give equal bytes', () => {
  const bytes = gzipSync('same')
  expect(Array.from(bytes.subarray(0, 8))).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
})
