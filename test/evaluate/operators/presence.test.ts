import { expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, operatorOf, verdicts, yes } from './verdicts.ts'

it.each<readonly [Json]>([[null], [false], [0], [''], [[]], [{}], ['x']])('counts %j as set', (property) => {
  expect(verdicts('is_set', null, property)).toEqual(yes)
  expect(verdicts('is_not_set', 'whatever', property)).toEqual(no)
})

it('counts a property that is not there as not set', () => {
  expect(operatorOf('is_set', null)).toMatchObject({ absent: false, presenceOnly: true })
  expect(operatorOf('is_not_set', null)).toMatchObject({ absent: true, presenceOnly: true })
})
