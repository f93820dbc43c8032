import { afterEach, expect, it, vi } from 'vitest'
import { browserBeacon } from '../../../src/platform/browser/beacon.ts'

afterEach(() => vi.unstubAllGlobals())

it('hands over the bytes under the given type, and answers what the browser says', async () => {
  const sendBeacon = vi.fn<(url: string, body: Blob) => boolean>().mockReturnValueOnce(true).mockReturnValueOnce(false)
  vi.stubGlobal('navigator', { sendBeacon })
  expect(browserBeacon('http://x/batch/', new Uint8Array([1, 2, 255]), 'text/plain')).toBe(true)
  expect(browserBeacon('http://x/batch/', 'text', 'text/plain')).toBe(false)
  const [url, blob] = sendBeacon.mock.calls[0]!
  expect(url).toBe('http://x/batch/')
  expect(blob.type).toBe('text/plain')
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new Uint8Array([1, 2, 255]))
})

it('answers false where there is no beacon, or it throws', () => {
  vi.stubGlobal('navigator', {})
  expect(browserBeacon('http://x/', '', 'text/plain')).toBe(false)
  vi.stubGlobal('navigator', {
    sendBeacon() {
      throw new TypeError('bad url')
    },
  })
  expect(browserBeacon('http://x/', '', 'text/plain')).toBe(false)
})
