import { expect, test } from 'vitest'
import { chooseEncoding } from '../../../src/service/http/choose-encoding.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br; q=0.5, gzip; q=0.8', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['gzip;q=0.5, identity', 'identity'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['br;q=much, gzip', 'gzip'],
] as const)('Accept-Encoding %j gets %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding)
})
