import { expect, it } from 'vitest'
import { withoutSlash } from '../../src/lib/without-slash.ts'

it.each([
  ['https://a.test/batch/', 'https://a.test/batch'],
  ['/ingest/decide/?v=3', '/ingest/decide?v=3'],
  ['https://a.test/decide/?back=/home/', 'https://a.test/decide?back=/home/'],
  ['https://a.test/array/key/config', 'https://a.test/array/key/config'],
])('removes the slash at the end of the path of %s', (url, expected) => {
  expect(withoutSlash(url)).toBe(expected)
})
