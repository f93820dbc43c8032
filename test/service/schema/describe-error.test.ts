import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { createSchemaCompilers } from '../../../src/service/schema/compilers.ts'
import type { HttpError } from '../../../src/service/http-error.ts'

const BODY = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    level: {
      anyOf: [
        { type: 'number', const: 1 },
        { type: 'number', const: 8 },
      ],
    },
    label: { type: 'string', maxLength: 5, pattern: '\\S' },
    role: { enum: ['a', 'b'] },
    seats: { type: 'integer', minimum: 1, maximum: 9, 'x-error-code': 'invalid_seats' },
    inner: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
    rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
    list: { type: 'array', maxItems: 1, items: { type: 'boolean' } },
  },
}

/** The validator of a schema, as the routes use it. */
const createCheck = async (httpPart: string, schema: object) => {
  const { compilersFactory, load } = createSchemaCompilers({})
  await load()
  const build = compilersFactory.buildValidator as unknown as () => (part: object) => (value: unknown) => {
    value?: unknown
    error?: HttpError
  }
  return build()({ schema, httpPart })
}

test.each([
  [{}, 'required', '"name" is missing.', 'name'],
  [{ name: 5 }, 'invalid_input', '"name" must be a string.', 'name'],
  [{ name: '' }, 'invalid_input', '"name" must be a string of 1 character or more.', 'name'],
  [{ name: 'abcdef' }, 'invalid_input', '"name" must be a string of at most 5 characters.', 'name'],
  [{ name: 'a', note: 5 }, 'invalid_input', '"note" must be a string or null.', 'note'],
  [{ name: 'a', level: 3 }, 'invalid_choice', '"level" must be 1 or 8.', 'level'],
  [{ name: 'a', level: '8' }, 'invalid_choice', '"level" must be 1 or 8.', 'level'],
  [{ name: 'a', label: ' ' }, 'invalid_input', '"label" must be a string that is not blank.', 'label'],
  [{ name: 'a', role: 'c' }, 'invalid_choice', '"role" must be one of "a", "b".', 'role'],
  [{ name: 'a', seats: 0 }, 'invalid_seats', '"seats" must be 1 or more.', 'seats'],
  [{ name: 'a', seats: 10 }, 'invalid_seats', '"seats" must be 9 or less.', 'seats'],
  [{ name: 'a', inner: {} }, 'required', '"inner.id" is missing.', 'inner.id'],
  [{ name: 'a', inner: { id: 'x' } }, 'invalid_input', '"inner.id" must be a UUID.', 'inner.id'],
  [{ name: 'a', list: [true, false] }, 'invalid_input', '"list" must be an array of at most 1 item.', 'list'],
  [{ name: 'a', list: [1] }, 'invalid_input', '"list[0]" must be true or false.', 'list[0]'],
  [{ name: 'a', rows: [{}, { id: 7 }] }, 'invalid_input', '"rows[1].id" must be a string.', 'rows[1].id'],
  [5, 'invalid_input', 'The value must be a JSON object.', null],
])('describes what is wrong with the body %j', async (body, code, detail, attr) => {
  const check = await createCheck('body', BODY)
  expect(check(body).error?.body).toEqual({ type: 'validation_error', code, detail, attr })
})

test('ignores unknown fields and passes the value on', async () => {
  const check = await createCheck('body', BODY)
  expect(check({ name: 'a', later: { x: 1 } })).toEqual({ value: { name: 'a', later: { x: 1 } } })
})

test('converts integers and booleans in a query, and leaves everything else as it is', async () => {
  const properties = { limit: { type: 'integer' }, pinned: { type: 'boolean' }, search: { type: 'string' } }
  const check = await createCheck('querystring', { type: 'object', properties })
  expect(check({ limit: '5', pinned: 'true', search: '7', other: '8' }).value).toEqual({
    limit: 5,
    pinned: true,
    search: '7',
    other: '8',
  })
  expect(check({ limit: '', search: '' }).value).toEqual({ search: '' })
  for (const limit of ['x', '1.5', '0x10', '1e3', ' 5'])
    expect(check({ limit }).error?.body.detail).toBe('"limit" must be an integer.')
  fc.assert(
    fc.property(fc.integer(), (limit) => {
      expect(check({ limit: String(limit) }).value).toEqual({ limit })
    }),
  )
})

test('never answers 5xx to a page of any size', async () => {
  const { app, project, personalApiKey } = await openApp()
  const headers = { authorization: `Bearer ${personalApiKey}` }
  const value = fc.oneof(fc.integer().map(String), fc.string({ maxLength: 8 }), fc.bigInt().map(String))
  await fc.assert(
    fc.asyncProperty(value, value, async (limit, offset) => {
      const query = new URLSearchParams({ limit, offset })
      const url = `/api/environments/${project.id}/feature_flags/?${query.toString()}`
      const response = await app.inject({ method: 'GET', url, headers })
      if (response.statusCode !== 200)
        expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_page'])
    }),
  )
})
