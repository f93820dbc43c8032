import { expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, evaluateOperator, yes } from './evaluate-operator.ts'

it.each<readonly [Json]>([[null], [false], [0], [''], [[]], [{}], ['x']])('treats %j as set', (property) => {
  expect(evaluateOperator('is_set', null, property)).toEqual(yes)
  expect(evaluateOperator('is_not_set', 'whatever', property)).toEqual(no)
})

it('treats an absent property as not set', () => {
  expect(createOperator('is_set', null)).toMatchObject({ ifAbsent: false, presenceOnly: true })
  expect(createOperator('is_not_set', null)).toMatchObject({ ifAbsent: true, presenceOnly: true })
})
