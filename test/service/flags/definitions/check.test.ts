import { expect, test } from 'vitest'
import { checkNesting } from '../../../../src/service/flags/definitions/check.ts'
import { parseCohort } from '../../../../src/service/flags/definitions/parse-cohort.ts'
import { parseDefinition } from '../../../../src/service/flags/definitions/parse-definition.ts'
import type { Json } from '../../../../src/wire/json.ts'
import { openManagement } from '../../support/management.ts'

const nested = (levels: number): Json => JSON.parse(nestedText(levels))
const nestedText = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test('takes 64 levels and tells where one more is', () => {
  checkNesting(nested(64), 'payload')
  expect(() => checkNesting({ a: 1, b: { c: [0, { d: nested(61) }] } }, '')).toThrow(
    'b.c[1].d is nested in more than 64 levels',
  )
  expect(() => checkNesting(nested(65), 'payload')).toThrow('payload[0][0][0][0] is nested')
  expect(() => checkNesting({ ['k'.repeat(5000)]: nested(64) }, '')).toThrow(`${'k'.repeat(100)}[0]`)
})

test('holds for flags, their payloads, written as JSON or as its text, and cohorts', () => {
  const flag = (payload: Json) => ({ key: 'f', filters: { groups: [{}], payloads: { true: payload } } })
  parseDefinition(flag(nested(61)))
  parseDefinition(flag(nestedText(64)))
  parseDefinition(flag('[[[ no JSON'))
  const attr = 'filters.payloads.true'
  expect(() => parseDefinition(flag(nested(62)))).toThrow(expect.objectContaining({ attr: `${attr}[0]` }))
  expect(() => parseDefinition(flag(nestedText(65)))).toThrow(expect.objectContaining({ attr: `${attr}[0][0][0][0]` }))
  const cohort = (x: Json) => ({ name: 'c', filters: { properties: {} }, x })
  parseCohort(cohort(nested(63)))
  expect(() => parseCohort(cohort(nested(64)))).toThrow(expect.objectContaining({ attr: 'x[0][0][0]' }))
})

test('is answered with 400 and the place, at whatever depth, and keeps lists readable', async () => {
  const { ask } = await openManagement()
  const flag = (x: Json) => ({ key: 'deep', filters: { groups: [] }, x })
  expect(await ask('POST', 'feature_flags/', flag(nested(63)))).toMatchObject({ status: 201 })
  for (const levels of [64, 4000])
    expect(await ask('PATCH', 'feature_flags/deep/', flag(nested(levels)))).toMatchObject({
      status: 400,
      body: { attr: 'x[0][0][0]' },
    })
  const feature = { name: 'Deep', payload: { a: nested(64) } }
  expect(await ask('POST', 'early_access_feature/', feature)).toMatchObject({
    status: 400,
    body: { attr: 'payload.a[0][0][0]' },
  })
  expect(await ask('GET', 'feature_flags/')).toMatchObject({ status: 200, body: { count: 1 } })
})
