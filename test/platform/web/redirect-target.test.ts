import { expect, it } from 'vitest'
import { redirectTarget } from '../../../src/platform/web/redirect-target.ts'

const URL_WITH_SLASH = 'https://a.test/in/batch/'

it.each([
  [308, '/in/batch', 'https://a.test/in/batch'],
  [307, 'https://a.test/eu/batch/', 'https://a.test/eu/batch/'],
  [301, '/in/batch', 'https://a.test/in/batch'],
  [301, '/login', undefined],
  [308, 'https://b.test/in/batch', undefined],
  [308, 'http://a.test/in/batch', undefined],
  [308, 'https://a.test.evil.test/', undefined],
  [308, '//b.test/in/batch', undefined],
  [308, 'batch', undefined],
  [308, URL_WITH_SLASH, undefined],
  [308, null, undefined],
])('a redirect %i to %s leads to %s', (status, location, expected) => {
  expect(redirectTarget(URL_WITH_SLASH, status, location)).toBe(expected)
})
