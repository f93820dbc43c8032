// @vitest-environment node
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { gzipSync } from '../../../src/codec/gzip.ts'
import { createStreamCompressor } from '../../../src/platform/web/compressor.ts'

afterEach(() => vi.unstubAllGlobals())

const input = JSON.stringify({ name: 'é🙂'.repeat(5000) })
const unzip = (bytes: Uint8Array) => gunzipSync(bytes).toString('utf8')
const broken = function broken() {
  throw new TypeError('unknown format')
}

it('compresses by CompressionStream', async () => {
  const bytes = await createStreamCompressor()(input)
  expect(unzip(bytes)).toBe(input)
  expect(bytes.length).toBeLessThan(input.length / 10)
})

it.each([
  ['no stream', undefined],
  ['a broken stream', broken],
])('uses the fallback with %s, and rejects if there is no fallback', async (_, stream) => {
  vi.stubGlobal('CompressionStream', stream)
  expect(unzip(await createStreamCompressor(async (json) => gzipSync(json))(input))).toBe(input)
  await expect(createStreamCompressor()(input)).rejects.toThrow()
})
