import { expect, test } from 'vitest'
import { readQuery, valuesOf } from '../../../src/service/http/read-query.ts'

test.each<[string, object]>([
  ['', {}],
  ['token=a&v=2', { token: 'a', v: '2' }],
  ['token=a&token=b&token', { token: 'a' }],
  ['send_cohorts', { send_cohorts: '' }],
  ['a=1+2&b=%C3%A4&c=%zz&d=x=y', { a: '1 2', b: 'ä', c: '%zz', d: 'x=y' }],
  ['a[]=1&a[]=2', { 'a[]': '1' }],
])('reads %j as texts, the first value of each', (text, parameters) => {
  expect({ ...readQuery(text) }).toEqual(parameters)
})

test('knows no parameter that was not given, whatever its name', () => {
  expect([readQuery('')['constructor'], readQuery('a=1')['__proto__']]).toEqual([undefined, undefined])
})

test('gives every value of a parameter that may be repeated', () => {
  const url = '/features/?token=k&stage=beta&stage=alpha?'
  expect([valuesOf(url, 'stage'), valuesOf(url, 'token'), valuesOf(url, 'x')]).toEqual([['beta', 'alpha?'], ['k'], []])
  expect(valuesOf('/features/', 'stage')).toEqual([])
})
