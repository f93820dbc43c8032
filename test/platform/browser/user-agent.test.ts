import { expect, it } from 'vitest'
import { parseUserAgent } from '../../../src/platform/browser/user-agent.ts'

const KIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const IOS = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KIT} Chrome/156.0.0.0 Safari/537.36`,
    'Chrome',
    156,
    'Windows',
    'Desktop',
    '10.0',
    undefined,
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${KIT} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.1.2`,
    'Microsoft Edge',
    156,
    'Windows',
    'Desktop',
    '10.0',
    undefined,
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${KIT} Chrome/130.0.0.0 Safari/537.36 OPR/115.2.0.0`,
    'Opera',
    115.2,
    'Linux',
    'Desktop',
    undefined,
    undefined,
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KIT} Chrome/156.0.0.0 Safari/537.36`,
    'Chrome',
    156,
    'Chrome OS',
    'Desktop',
    '14541.0.0',
    undefined,
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Firefox',
    140,
    'Linux',
    'Desktop',
    undefined,
    undefined,
  ],
  [
    'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    'Firefox',
    140,
    'Android',
    'Mobile',
    '14',
    'Android',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/17.4 Safari/605.1.15`,
    'Safari',
    17.4,
    'Mac OS X',
    'Desktop',
    '10.15.7',
    undefined,
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${IOS} Version/17.4 Mobile/15E148 Safari/604.1`,
    'Mobile Safari',
    17.4,
    'iOS',
    'Mobile',
    '17.4',
    'iPhone',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) ${IOS} Version/12.1 Mobile/15E148 Safari/604.1`,
    'Mobile Safari',
    12.1,
    'iOS',
    'Tablet',
    '12.5',
    'iPad',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${IOS} CriOS/156.0.1 Mobile/15E148 Safari/604.1`,
    'Chrome iOS',
    156,
    'iOS',
    'Mobile',
    '17.4',
    'iPhone',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${IOS} FxiOS/140.1 Mobile/15E148 Safari/605.1.15`,
    'Firefox iOS',
    140.1,
    'iOS',
    'Mobile',
    '17.4',
    'iPhone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${KIT} Chrome/156.0.0.0 Mobile Safari/537.36 EdgA/156.0.1`,
    'Microsoft Edge',
    156,
    'Android',
    'Mobile',
    '10',
    'Android',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-X906C) ${KIT} SamsungBrowser/23.0 Chrome/115.0.0.0 Safari/537.36`,
    'Samsung Internet',
    23,
    'Android',
    'Tablet',
    '13',
    'Android',
  ],
])('recognises %s', (userAgent, browser, version, os, type, osVersion, device) => {
  expect(parseUserAgent(userAgent)).toEqual({
    $browser: browser,
    $browser_version: version,
    $os: os,
    $device_type: type,
    $os_version: osVersion,
    $device: device,
  })
})

it('recognises a Safari on macOS with a touch screen as an iPad', () => {
  const userAgent = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/17.4 Safari/605.1.15`
  expect(parseUserAgent(userAgent, 5)).toMatchObject({ $os: 'iOS', $device: 'iPad', $device_type: 'Tablet' })
})

it('omits unknown browsers and systems', () => {
  expect(parseUserAgent('curl/8.0')).toEqual({ $device_type: 'Desktop' })
  expect(parseUserAgent('')).toEqual({ $device_type: 'Desktop' })
})
