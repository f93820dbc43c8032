import { expect, test } from 'vitest'
import { parseClientIp } from '../../../src/service/geo/parse-client-ip.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 , 198.51.100.2', '192.0.2.1'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  [['192.0.2.1', '192.0.2.2'], '192.0.2.1'],
  ['unknown', undefined],
  ['999.0.2.1', undefined],
  ['', undefined],
  [undefined, undefined],
])('parses the header %j to %s', (header, address) => {
  expect(parseClientIp(header)).toBe(address)
})
