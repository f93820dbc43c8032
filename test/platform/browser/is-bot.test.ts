import { afterEach, expect, it, vi } from 'vitest'
import { isBot } from '../../../src/platform/browser/is-bot.ts'

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', false, true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/156.0.0.0 Safari/537.36', false, true],
  ['Mozilla/5.0 (compatible; Baiduspider/2.0)', false, true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36', true, true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36', false, false],
  ['Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36', false, false],
])('takes %j with webdriver %j for a bot: %j', (userAgent, webdriver, isExpected) => {
  vi.stubGlobal('navigator', { userAgent, webdriver })
  expect(isBot()).toBe(isExpected)
})

it('takes a server without a navigator for no bot', () => {
  vi.stubGlobal('navigator', undefined)
  expect(isBot()).toBe(false)
})
