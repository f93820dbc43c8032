import { expect, test } from 'vitest'
import { fillPath } from '../../src/management/fill-path.ts'

test('fills in parameters and adds a query, both percent-encoded', () => {
  expect(fillPath('/a/{project_id}/b/{id}/', { project_id: '@current', id: 7 })).toBe('/a/%40current/b/7/')
  expect(fillPath('/a/{id}', { id: 'a/../b?c#d' })).toBe('/a/a%2F..%2Fb%3Fc%23d')
  expect(fillPath('/a/', {}, { search: 'tea & milk', pinned: true, limit: 0, order: undefined, type: null })).toBe(
    '/a/?search=tea+%26+milk&pinned=true&limit=0',
  )
})

test.each([undefined, null, '', '.', '..', {}])('rejects %j as a parameter', (id) => {
  expect(() => fillPath('/a/{id}/', { id })).toThrow('"id" of the path /a/{id}/ is missing or cannot be an id.')
})
