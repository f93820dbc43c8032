import { afterEach, expect, it, vi } from 'vitest'
import { sendBeacon } from '../../../src/platform/browser/beacon.ts'

afterEach(() => vi.unstubAllGlobals())

it('sends the bytes with the content type, and returns the browser’s result', async () => {
  const browserSendBeacon = vi
    .fn<(url: string, body: Blob) => boolean>()
    .mockReturnValueOnce(true)
    .mockReturnValueOnce(false)
  vi.stubGlobal('navigator', { sendBeacon: browserSendBeacon })
  expect(sendBeacon('http://x/batch/', new Uint8Array([1, 2, 255]), 'text/plain')).toBe(true)
  expect(sendBeacon('http://x/batch/', 'text', 'text/plain')).toBe(false)
  const [url, blob] = browserSendBeacon.mock.calls[0]!
  expect(url).toBe('http://x/batch/')
  expect(blob.type).toBe('text/plain')
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new Uint8Array([1, 2, 255]))
})

it('returns false if sendBeacon is missing or throws', () => {
  vi.stubGlobal('navigator', {})
  expect(sendBeacon('http://x/', '', 'text/plain')).toBe(false)
  vi.stubGlobal('navigator', {
    sendBeacon() {
      throw new TypeError('bad url')
    },
  })
  expect(sendBeacon('http://x/', '', 'text/plain')).toBe(false)
})
