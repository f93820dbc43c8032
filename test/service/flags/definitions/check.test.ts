import { expect, test } from 'vitest'
import { checkNesting } from '../../../../src/service/flags/definitions/check.ts'
import { parseCohort } from '../../../../src/service/flags/definitions/parse-cohort.ts'
import { parseFlag } from '../../../../src/service/flags/definitions/parse-flag.ts'
import type { Json } from '../../../../src/wire/json.ts'
import { openManagement } from '../../support/management.ts'

const nested = (levels: number): Json => JSON.parse(nestedJson(levels))
const nestedJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test('accepts 64 levels of nesting, and names the path of a 65th', () => {
  checkNesting(nested(64), 'payload')
  expect(() => checkNesting({ a: 1, b: { c: [0, { d: nested(61) }] } }, '')).toThrow(
    'b.c[1].d is nested in more than 64 levels',
  )
  expect(() => checkNesting(nested(65), 'payload')).toThrow('payload[0][0][0][0] is nested')
  expect(() => checkNesting({ ['k'.repeat(5000)]: nested(64) }, '')).toThrow(`${'k'.repeat(100)}[0]`)
})

test('limits the nesting of flags, cohorts and payloads, also in JSON strings', () => {
  const flag = (payload: Json) => ({ key: 'f', filters: { groups: [{}], payloads: { true: payload } } })
  parseFlag(flag(nested(61)))
  parseFlag(flag(nestedJson(64)))
  parseFlag(flag('[[[ no JSON'))
  const attr = 'filters.payloads.true'
  expect(() => parseFlag(flag(nested(62)))).toThrow(expect.objectContaining({ attr: `${attr}[0]` }))
  expect(() => parseFlag(flag(nestedJson(65)))).toThrow(expect.objectContaining({ attr: `${attr}[0][0][0][0]` }))
  const cohort = (x: Json) => ({ name: 'c', filters: { properties: {} }, x })
  parseCohort(cohort(nested(63)))
  expect(() => parseCohort(cohort(nested(64)))).toThrow(expect.objectContaining({ attr: 'x[0][0][0]' }))
})

test('rejects bodies that are nested deeper with 400, so lists stay readable', async () => {
  const { request } = await openManagement()
  const flag = (x: Json) => ({ key: 'deep', filters: { groups: [] }, x })
  expect(await request('POST', 'feature_flags/', flag(nested(63)))).toMatchObject({ status: 201 })
  for (const levels of [64, 4000])
    expect(await request('PATCH', 'feature_flags/deep/', flag(nested(levels)))).toMatchObject({
      status: 400,
      body: { attr: 'x[0][0][0]' },
    })
  const feature = { name: 'Deep', payload: { a: nested(64) } }
  expect(await request('POST', 'early_access_feature/', feature)).toMatchObject({
    status: 400,
    body: { attr: 'payload.a[0][0][0]' },
  })
  expect(await request('GET', 'feature_flags/')).toMatchObject({ status: 200, body: { count: 1 } })
})
