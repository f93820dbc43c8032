import { expect, test } from 'vitest'
import { parsePropertyPath } from '../../../../../../src/service/store/events/duckdb/query/property-path.ts'

test.each([
  ['plan', { key: 'plan', inner: null, jsonPath: 'plan' }],
  ['plan.name', { key: 'plan.name', inner: null, jsonPath: 'plan.name' }],
  ['$browser', { key: '$browser', inner: null, jsonPath: '$."$browser"' }],
  ['$.plan', { key: 'plan', inner: null, jsonPath: '$.plan' }],
  ['$."$browser"', { key: '$browser', inner: null, jsonPath: '$."$browser"' }],
  ['$.address.city', { key: 'address', inner: '$.city', jsonPath: '$.address.city' }],
  ['$.tags[0]', { key: 'tags', inner: '$[0]', jsonPath: '$.tags[0]' }],
  ['/plan', { key: 'plan', inner: null, jsonPath: '/plan' }],
  ['/address/city', { key: 'address', inner: '/city', jsonPath: '/address/city' }],
])('the path %s is that of one property', (path, expected) => {
  expect(parsePropertyPath(path)).toEqual(expected)
})

test.each(['', '$', '$.*', '$.tags[*]', '$[0]', '$.."a"', '/', '/a~1b', 'a"b', '$."a\\"b"'])(
  'the path %j is not',
  (path) => {
    expect(parsePropertyPath(path)).toBeNull()
  },
)
