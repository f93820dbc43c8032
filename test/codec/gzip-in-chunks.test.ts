import * as fc from 'fast-check'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gzipInChunks } from '../../src/codec/gzip-in-chunks.ts'

const noPause = async (): Promise<void> => {}
const gunzip = (bytes: Uint8Array): string => gunzipSync(bytes).toString('utf8')

it("compresses any string so that Node's gunzip can decompress it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2000 }), async (input) => {
      expect(gunzip(await gzipInChunks(input, noPause))).toBe(input)
    }),
  )
})

it('compresses long strings in chunks, with a pause between two', async () => {
  let pauses = 0
  const input = JSON.stringify(Array.from({ length: 3_000 }, (_, n) => ({ event: `event ${n % 7}`, n })))
  const bytes = await gzipInChunks(input, async () => void pauses++)
  expect(gunzip(bytes) === input).toBe(true)
  expect(bytes.length).toBeLessThan(input.length / 5)
  expect(pauses).toBe(Math.ceil(input.length / (8 * 1024)) - 1)
})

it('does not split a surrogate pair between two chunks', async () => {
  for (const offset of [0, 1]) {
    const input = 'a'.repeat(offset) + '🙂'.repeat(20_000)
    expect(gunzip(await gzipInChunks(input, noPause)) === input).toBe(true)
  }
})

it('writes no time into the header, so that equal strings give equal bytes', async () => {
  const bytes = await gzipInChunks('same', noPause)
  expect(Array.from(bytes.subarray(0, 8))).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
})
