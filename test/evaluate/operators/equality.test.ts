import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, createOperator, evaluateOperator, yes } from './evaluate-operator.ts'
import type { Case } from './evaluate-operator.ts'
import { measureCpuMs } from '../../support/cpu-time.ts'

const serviceOnly = (service: boolean): readonly [boolean, undefined] => [service, undefined]

const cases: readonly Case[] = [
  ['exact', 'Pro', 'pRO', yes],
  ['exact', 'Pro', 'Pro ', no],
  ['exact', 'Ä', 'ä', yes],
  ['exact', ['a', 'b'], 'B', yes],
  ['exact', ['a', 'b'], 'c', no],
  ['exact', 'null', null, yes],
  ['exact', null, 'NULL', yes],
  ['exact', null, null, yes],
  ['exact', 1.5, '1.5', yes],
  ['exact', 5, 5, yes],
  ['exact', 5, 6, no],
  ['exact', 5, '6', no],
  ['exact', 5, '5', serviceOnly(true)],
  ['exact', '5', 5, serviceOnly(true)],
  ['exact', '5.0', 5, serviceOnly(false)],
  ['exact', ['x', '1.0'], 1, serviceOnly(false)],
  ['exact', [1, 'PRO'], '1', serviceOnly(true)],
  ['exact', [1, 'PRO'], 'pro', yes],
  ['exact', ['1', 1], '1', yes],
  ['exact', '', 0, no],
  ['exact', '[1]', [1], serviceOnly(true)],
  ['exact', { b: 'x', a: [null] }, { a: [null], b: 'X' }, yes],
  ['exact', '{"a":"x"}', { a: 'x' }, yes],
  ['exact', true, 'TRUE', yes],
  ['exact', 'true', [true, 'true'], yes],
  ['exact', true, [true, ['TRUE', []]], yes],
  ['exact', false, 'banana', yes],
  ['exact', 'false', 0, yes],
  ['exact', false, null, yes],
  ['exact', ['true', 'false'], 'true', no],
  ['exact', ['true', 'false'], 'pro', yes],
  ['exact', [], true, yes],
  ['exact', [], [], yes],
  ['exact', [], 'x', no],
  ['exact', [true, 'x'], 'true', yes],
  ['exact', [false, 'x'], 'banana', no],
  ['is_not', 'a', 'b', yes],
  ['is_not', 'null', null, no],
  ['is_not', ['a', 'b'], 'A', no],
  ['is_not', ['a', 'b'], 'c', yes],
  ['is_not', 1, '1', serviceOnly(false)],
  ['is_not', false, 'banana', no],
]

describe('equality operators', () => {
  it.each(cases)(
    '%s %j tests the property %j: %j (in the service, elsewhere)',
    (operator, value, property, expected) => {
      expect(evaluateOperator(operator, value, property)).toEqual(expected)
    },
  )

  it.each<readonly [Json, Json, boolean]>([
    [false, 'banana', false],
    [false, 0, false],
    [false, null, false],
    [false, 'FALSE', true],
    [true, [true], false],
    [['true', 'false'], 'true', true],
    [['true', 'false'], 'pro', false],
    [[], [true], true],
    [[], 'x', false],
  ])('compare strings in property_matching_version 2: %j equals %j: %s', (value, property, isEqual) => {
    const rules = { propertyMatchingVersion: 2 }
    expect(evaluateOperator('exact', value, property, rules)).toEqual([isEqual, isEqual])
    expect(evaluateOperator('is_not', value, property, rules)).toEqual([!isEqual, !isEqual])
    expect(evaluateOperator('exact', value, property, { propertyMatchingVersion: 1 })).toEqual(
      evaluateOperator('exact', value, property),
    )
  })

  it('have the opposite result for is_not, or are both unknown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(1, 2), (value, property, propertyMatchingVersion) => {
        const rules = { propertyMatchingVersion }
        const inverted = evaluateOperator('exact', value as Json, property as Json, rules).map((result) =>
          result === undefined ? undefined : !result,
        )
        expect(evaluateOperator('is_not', value as Json, property as Json, rules)).toEqual(inverted)
      }),
    )
  })

  it('have the result of the service or none outside the service', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 3 }), fc.jsonValue(), (value, property) => {
        const [service, elsewhere] = evaluateOperator('exact', value as Json, property as Json)
        expect([service, undefined]).toContain(elsewhere)
      }),
    )
  })

  it('are unknown for cyclic values, and compare a Date as JSON prints it', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['cyclic'] = cyclic
    expect(evaluateOperator('exact', 'x', cyclic as Json)).toEqual([undefined, undefined])
    const timestamp = '2026-08-01T00:00:00.000Z'
    expect(evaluateOperator('exact', timestamp, new Date(timestamp) as unknown as Json)).toEqual(yes)
  })

  it('search numbers in a list of 100,000 numbers or strings in constant time', () => {
    const numbers = Array.from({ length: 100_000 }, (_, n) => n)
    const strings = numbers.map((n) => `${n}.0`)
    const context = { complete: false, now: 0 }
    const [numbersOperator, stringsOperator] = [createOperator('exact', numbers), createOperator('exact', strings)]
    const cpuMs = measureCpuMs(() => {
      for (let n = 0; n < 1_000; n++) {
        expect(numbersOperator.test('x', context)).toBe(false)
        expect(stringsOperator.test(-1, context)).toBe(false)
      }
    })
    expect(cpuMs).toBeLessThan(500)
    expect([
      numbersOperator.test('7', context),
      numbersOperator.test('7.0', context),
      stringsOperator.test(7, context),
    ]).toEqual([undefined, undefined, undefined])
    expect([numbersOperator.test('', context), createOperator('exact', ['']).test(0, context)]).toEqual([false, false])
  })

  it('treat an absent property as not equal', () => {
    expect(createOperator('exact', false).ifAbsent).toBe(false)
    expect(createOperator('is_not', 'x').ifAbsent).toBe(true)
  })
})
