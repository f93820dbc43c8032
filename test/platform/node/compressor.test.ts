import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { nodeCompressor } from '../../../src/platform/node/compressor.ts'

/** About 600 kB as UTF-8. */
const input = JSON.stringify({ name: 'é🙂'.repeat(100_000) })

it('compresses a long string to standard gzip', async () => {
  const bytes = await nodeCompressor(input)
  expect(gunzipSync(bytes).toString('utf8')).toBe(input)
  expect(bytes.length).toBeLessThan(input.length / 10)
})

it('lets the event loop run while it compresses', async () => {
  const order: string[] = []
  const compression = nodeCompressor(input).then(() => order.push('compressed'))
  order.push('compressor called')
  await new Promise<void>((resolve) => setImmediate(resolve))
  order.push('next turn')
  await compression
  expect(order).toEqual(['compressor called', 'next turn', 'compressed'])
})

it('compresses several strings at the same time', async () => {
  const inputs = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5_000))
  const outputs = await Promise.all(inputs.map(nodeCompressor))
  expect(outputs.map((bytes) => gunzipSync(bytes).toString())).toEqual(inputs)
})
