import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { withDefaults } from '../../src/service/config.ts'
import { CONFIG_KEYS, readConfig } from '../../src/service/read-config.ts'

test('returns frozen defaults when there are no settings', () => {
  const config = readConfig({}, {})
  expect(config).toEqual(withDefaults())
  expect(config).toMatchObject({
    dataFolder: resolve('.waymark'),
    host: '127.0.0.1',
    port: 8010,
    inboxSynchronous: 'full',
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test('prefers flags to environment variables, and these to defaults', () => {
  expect(readConfig({ WAYMARK_PORT: '1' }, { port: '0' }).port).toBe(0)
  expect(readConfig({ WAYMARK_PORT: '1' }, {}).port).toBe(1)
  expect(readConfig({ WAYMARK_PORT: '' }, {}).port).toBe(8010)
  expect(readConfig({ WAYMARK_TRUST_PROXY: 'true' }, {}).trustProxy).toBe(true)
})

test.each([
  [{ WAYMARK_PORT: '65536' }, {}, 'WAYMARK_PORT must be a whole number from 0 to 65535; it is "65536".'],
  [{}, { port: 'x' }, '--port must be a whole number from 0 to 65535; it is "x".'],
  [
    { WAYMARK_METADATA: 'mysql://ann:secret@host/waymark' },
    {},
    'WAYMARK_METADATA must be a URL such as postgres://user@host:5432/database; it is "mysql://ann:…@host/waymark".',
  ],
  [
    { WAYMARK_EVENTS: 'http://ann:secret@host:8123' },
    {},
    'WAYMARK_EVENTS must be a URL such as clickhouse://user@host:8123/waymark; it is "http://ann:…@host:8123".',
  ],
  [
    {},
    { events: 'clickhouse://host/way-mark' },
    '--events must have a prefix of letters, digits and underscores behind the host, such as /waymark; it is "clickhouse://host/way-mark".',
  ],
  [
    {},
    { trustProxy: 'yes' },
    '--trust-proxy must be a number of proxies up to 32, their networks such as 10.0.0.0/8,192.0.2.7, true or false; it is "yes".',
  ],
  [{}, { trustProxy: '10.0.0.0/33' }, '--trust-proxy must be a number of proxies'],
  [{}, { trustProxy: '33' }, '--trust-proxy must be a number of proxies'],
  [{ WAYMARK_PUBLIC_URL: 'analytics.example.com' }, {}, 'WAYMARK_PUBLIC_URL must be a URL such as https://analytics.'],
  [{}, { publicUrl: 'https://a.example/?b' }, '--public-url must be a URL such as https://analytics.'],
])('names the invalid setting in the environment %j and flags %j', (environment, flags, message) => {
  expect(() => readConfig(environment, flags)).toThrow(message)
})

test('derives the name of each flag from its key, as commander does', () => {
  for (const { key, flag } of CONFIG_KEYS) {
    expect(flag.split(' ')[0]).toBe(`--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  }
})

test.each([
  ['false', false],
  ['true', true],
  ['2', 2],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['192.0.2.7, 2001:db8::/32,loopback', ['192.0.2.7', '2001:db8::/32', 'loopback']],
])('reads the trusted proxies "%s"', (value, expected) => {
  expect(readConfig({ WAYMARK_TRUST_PROXY: value }, {}).trustProxy).toEqual(expected)
})

test('reads the public URL without its last slash', () => {
  expect(readConfig({}, { publicUrl: 'https://shop.example/insight/' }).publicUrl).toBe('https://shop.example/insight')
})
