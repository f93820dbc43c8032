import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  parseClickHouseUrl,
  readClickHouseOptions,
} from '../../../../../src/service/store/events/clickhouse/clickhouse-source.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

test.each([
  ['clickhouse://db.example', { url: 'http://db.example:8123', username: 'default', password: '' }],
  ['clickhouse://ann:p%40ss@db.example:9000', { url: 'http://db.example:9000', username: 'ann', password: 'p@ss' }],
  ['clickhouse://[::1]/shop_1?secure=true', { url: 'https://[::1]:8443', databasePrefix: 'shop_1' }],
])('reads %s', (url, expected) => {
  expect(parseClickHouseUrl(url)).toMatchObject({ databasePrefix: 'waymark', ...expected })
})

test.each([
  ['http://db.example', 'must be a URL such as clickhouse://user@host:8123/waymark'],
  ['clickhouse:///waymark', 'must be a URL such as'],
  ['clickhouse://db.example/a/b', 'must have a prefix of letters, digits and underscores'],
  ['clickhouse://db.example?tls=true', 'may have the parameters secure, ca_cert and cluster, and not tls'],
  [
    'clickhouse://db.example?cluster=a`b',
    'must have a name of letters, digits, dots, dashes and underscores as cluster',
  ],
  ['clickhouse://db.example?secure=yes', 'must have true or false as secure'],
  ['clickhouse://db.example?ca_cert=/ca.pem', 'must have secure=true beside ca_cert'],
])('refuses %s', (url, message) => {
  expect(() => parseClickHouseUrl(url)).toThrow(message)
})

test('reads the password and the certificates from files, each time anew', async () => {
  const folder = createTempFolder()
  const [passwordFile, authority] = [join(folder, 'password'), join(folder, 'ca.pem')]
  writeFileSync(authority, 'certificate')
  const read = () =>
    readClickHouseOptions({ url: `clickhouse://ann@db.example?secure=true&ca_cert=${authority}`, passwordFile })
  writeFileSync(passwordFile, 'first\n')
  expect(await read()).toMatchObject({ password: 'first', certificateAuthority: Buffer.from('certificate') })
  writeFileSync(passwordFile, 'second\n')
  expect(await read()).toMatchObject({ password: 'second' })
})
