import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseUrl } from '../../../src/platform/browser/parse-url.ts'

it('finds what URL finds in a URL that the browser has written', () => {
  fc.assert(
    fc.property(
      fc.webUrl({
        withFragments: true,
        withQueryParameters: true,
        authoritySettings: { withPort: true, withUserInfo: true },
      }),
      (input) => {
        const { href, host, pathname } = new URL(input)
        expect(parseUrl(href)).toEqual({ $host: host, $pathname: pathname })
      },
    ),
  )
})

it.each([
  ['android-app://com.example.mail/', { $host: 'com.example.mail', $pathname: '/' }],
  ['file:///home/me/page.html', { $host: '', $pathname: '/home/me/page.html' }],
  ['http://[::1]:8080/a@b', { $host: '[::1]:8080', $pathname: '/a@b' }],
  ['about:blank', {}],
  ['', {}],
])('reads %j', (url, expected) => {
  expect(parseUrl(url)).toEqual(expected)
})
