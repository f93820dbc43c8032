import { expect, it } from 'vitest'
import { isMergeableId } from '../../src/wire/is-mergeable-id.ts'

it.each(['user-1', '1', '00', 'Nullmann', 'guest-7', 'idris', "o'neil", 'a null'])('accepts the id %j', (id) => {
  expect(isMergeableId(id)).toBe(true)
})

it.each([
  '',
  ' ',
  '\t\n',
  'null',
  'NULL',
  ' undefined ',
  '"null"',
  "'guest'",
  'NaN',
  'nil',
  'None',
  'anonymous',
  'id',
  'distinctId',
  'distinct_id',
  'email',
  'true',
  'false',
  '0',
  'not_authenticated',
  '[object Object]',
  '""',
  0,
  7,
  null,
  undefined,
  {},
])('refuses %j, which programs send by mistake', (id) => {
  expect(isMergeableId(id)).toBe(false)
})
