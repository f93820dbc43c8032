import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decompressBodies } from '../../../../src/service/indexer/decompression/decompress-bodies.ts'
import { packBodies, unpackBodies } from '../../../../src/service/indexer/decompression/pack-bodies.ts'

/** A body that claims another size than it has (RFC 1952, ISIZE). */
const withSize = (body: Uint8Array, size: number): Buffer => {
  const changed = Buffer.from(body)
  changed.writeUInt32LE(size, changed.length - 4)
  return changed
}

const text = fc.string({ maxLength: 300 }).map((string) => Buffer.from(string.repeat(10)))
const body = fc.oneof(
  { weight: 5, arbitrary: text.map((bytes) => gzipSync(bytes)) },
  { weight: 1, arbitrary: fc.tuple(text, fc.nat(2 ** 32 - 1)).map(([bytes, size]) => withSize(gzipSync(bytes), size)) },
  { weight: 1, arbitrary: text.map((bytes) => gzipSync(bytes).subarray(0, -9)) },
)

test('decompresses each body, or leaves it', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 20 }), fc.nat(50_000), (bodies, maxBytes) => {
      const result = decompressBodies(packBodies(bodies), maxBytes)
      expect(result.bytes.length).toBeLessThanOrEqual(maxBytes)
      for (const [index, bytes] of unpackBodies(result).entries())
        if (!result.left.includes(index)) expect(Buffer.from(bytes)).toEqual(gunzipSync(bodies[index]!))
    }),
  )
})

test('leaves only the bodies that are damaged or do not fit', () => {
  const bodies = ['one', 'two', 'three', 'four'].map((word) => gzipSync(word.repeat(100)))
  const damaged = withSize(bodies[1]!, 7)
  const result = decompressBodies(packBodies([bodies[0]!, damaged, bodies[2]!, bodies[3]!]), 820)
  expect(result.left).toEqual([1, 3])
  expect(unpackBodies(result).map((bytes) => Buffer.from(bytes).toString())).toEqual([
    'one'.repeat(100),
    '',
    'three'.repeat(100),
    '',
  ])
})
