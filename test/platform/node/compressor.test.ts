import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { nodeCompressor } from '../../../src/platform/node/compressor.ts'

const text = JSON.stringify({ name: 'é🙂'.repeat(100_000) })

it('compresses a text, longer than what zlib hands over at once, to gzip that anybody reads', async () => {
  const bytes = await nodeCompressor(text)
  expect(gunzipSync(bytes).toString('utf8')).toBe(text)
  expect(bytes.length).toBeLessThan(text.length / 10)
})

it('leaves the event loop to others meanwhile', async () => {
  const order: string[] = []
  const compressed = nodeCompressor(text).then(() => order.push('compressed'))
  order.push('asked')
  await new Promise<void>((resolve) => setImmediate(resolve))
  order.push('next turn')
  await compressed
  expect(order).toEqual(['asked', 'next turn', 'compressed'])
})

it('compresses many at once, each for itself', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5_000))
  const all = await Promise.all(texts.map(nodeCompressor))
  expect(all.map((bytes) => gunzipSync(bytes).toString())).toEqual(texts)
})
