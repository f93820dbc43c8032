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
  [{}, { trustProxy: 'yes' }, '--trust-proxy must be true or false; it is "yes".'],
])('names the invalid setting in the environment %j and flags %j', (environment, flags, message) => {
  expect(() => readConfig(environment, flags)).toThrow(message)
})

test('derives the name of each flag from its key, as commander does', () => {
  for (const { key, flag } of CONFIG_KEYS) {
    expect(flag.split(' ')[0]).toBe(`--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  }
})
