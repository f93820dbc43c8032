import { expect, test } from 'vitest'
import { matchesEtag } from '../../../src/service/http/matches-etag.ts'

test.each([
  [undefined, false],
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['a', false],
  ['"a-br"', false],
] as const)('If-None-Match %j matches: %s', (header, matches) => {
  expect(matchesEtag(header, '"a"')).toBe(matches)
})
