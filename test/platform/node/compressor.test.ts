import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { nodeCompressor } from '../../../src/platform/node/compressor.ts'

const input = JSON.stringify({ name: 'é🙂'.repeat(100_000) })

it('compresses a string of several chunks to standard gzip', async () => {
  const bytes = await nodeCompressor(input)
  expect(gunzipSync(bytes).toString('utf8')).toBe(input)
  expect(bytes.length).toBeLessThan(input.length / 10)
})

it('does not block the event loop', async () => {
  const order: string[] = []
  const compressed = nodeCompressor(input).then(() => order.push('compressed'))
  order.push('asked')
  await new Promise<void>((resolve) => setImmediate(resolve))
  order.push('next turn')
  await compressed
  expect(order).toEqual(['asked', 'next turn', 'compressed'])
})

it('compresses many strings at the same time', async () => {
  const inputs = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5_000))
  const all = await Promise.all(inputs.map(nodeCompressor))
  expect(all.map((bytes) => gunzipSync(bytes).toString())).toEqual(inputs)
})
