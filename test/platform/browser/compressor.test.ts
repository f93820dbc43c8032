// @vitest-environment node
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { browserCompressor } from '../../../src/platform/browser/compressor.ts'

afterEach(() => vi.unstubAllGlobals())

const text = JSON.stringify({ name: 'é🙂'.repeat(5000) })
const back = (bytes: Uint8Array) => gunzipSync(bytes).toString('utf8')

it('compresses by stream and at once, to the same text', async () => {
  expect(back(await browserCompressor.gzip(text))).toBe(text)
  expect(back(browserCompressor.gzipSync(text))).toBe(text)
  expect((await browserCompressor.gzip(text)).length).toBeLessThan(text.length / 10)
})

it('compresses where there is no stream, or a broken one', async () => {
  vi.stubGlobal('CompressionStream', undefined)
  expect(back(await browserCompressor.gzip(text))).toBe(text)
  vi.stubGlobal('CompressionStream', function broken() {
    throw new TypeError('unknown format')
  })
  expect(back(await browserCompressor.gzip(text))).toBe(text)
})
