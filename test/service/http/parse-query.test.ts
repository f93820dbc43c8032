import { expect, test } from 'vitest'
import { parseQuery, parseQueryValues } from '../../../src/service/http/parse-query.ts'

test.each<[string, object]>([
  ['', {}],
  ['token=a&v=2', { token: 'a', v: '2' }],
  ['token=a&token=b&token', { token: 'a' }],
  ['send_cohorts', { send_cohorts: '' }],
  ['a=1+2&b=%C3%A4&c=%zz&d=x=y', { a: '1 2', b: 'ä', c: '%zz', d: 'x=y' }],
  ['a[]=1&a[]=2', { 'a[]': '1' }],
])('parses the query %j and keeps the first value of each parameter', (text, parameters) => {
  expect({ ...parseQuery(text) }).toEqual(parameters)
})

test('returns an object without inherited properties', () => {
  expect([parseQuery('')['constructor'], parseQuery('a=1')['__proto__']]).toEqual([undefined, undefined])
})

test('returns all values of a repeated parameter', () => {
  const url = '/features/?token=k&stage=beta&stage=alpha?'
  expect([parseQueryValues(url, 'stage'), parseQueryValues(url, 'token'), parseQueryValues(url, 'x')]).toEqual([
    ['beta', 'alpha?'],
    ['k'],
    [],
  ])
  expect(parseQueryValues('/features/', 'stage')).toEqual([])
})
