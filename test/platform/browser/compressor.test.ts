// @vitest-environment node
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { gzipSync } from '../../../src/codec/gzip.ts'
import { browserCompressor } from '../../../src/platform/browser/compressor.ts'

afterEach(() => vi.unstubAllGlobals())

const text = JSON.stringify({ name: 'é🙂'.repeat(5000) })
const back = (bytes: Uint8Array) => gunzipSync(bytes).toString('utf8')
const broken = function broken() {
  throw new TypeError('unknown format')
}

it('compresses by stream', async () => {
  const bytes = await browserCompressor()(text)
  expect(back(bytes)).toBe(text)
  expect(bytes.length).toBeLessThan(text.length / 10)
})

it.each([
  ['no stream', undefined],
  ['a broken one', broken],
])('where there is %s, compresses by the fallback, and fails without one', async (_, stream) => {
  vi.stubGlobal('CompressionStream', stream)
  expect(back(await browserCompressor(async (json) => gzipSync(json))(text))).toBe(text)
  await expect(browserCompressor()(text)).rejects.toThrow()
})
