import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/wire/json.ts'
import { no, operatorOf, verdicts, yes } from './verdicts.ts'
import type { Case } from './verdicts.ts'

const notElsewhere = (service: boolean): readonly [boolean, undefined] => [service, undefined]

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
  ['exact', 5, '5', notElsewhere(true)],
  ['exact', '5', 5, notElsewhere(true)],
  ['exact', '5.0', 5, notElsewhere(false)],
  ['exact', ['x', '1.0'], 1, notElsewhere(false)],
  ['exact', [1, 'PRO'], '1', notElsewhere(true)],
  ['exact', [1, 'PRO'], 'pro', yes],
  ['exact', ['1', 1], '1', yes],
  ['exact', '', 0, no],
  ['exact', '[1]', [1], notElsewhere(true)],
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
  ['is_not', 1, '1', notElsewhere(false)],
  ['is_not', false, 'banana', no],
]

describe('equality', () => {
  it.each(cases)('%s %j: %j is %j in the service and elsewhere', (operator, value, property, expected) => {
    expect(verdicts(operator, value, property)).toEqual(expected)
  })

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
  ])('compares texts, truth values too, where the definitions say version 2: %j, %j is %s', (value, property, is) => {
    const rules = { propertyMatchingVersion: 2 }
    expect(verdicts('exact', value, property, rules)).toEqual([is, is])
    expect(verdicts('is_not', value, property, rules)).toEqual([!is, !is])
    expect(verdicts('exact', value, property, { propertyMatchingVersion: 1 })).toEqual(
      verdicts('exact', value, property),
    )
  })

  it('answers the opposite for is_not, or neither', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(1, 2), (value, property, propertyMatchingVersion) => {
        const rules = { propertyMatchingVersion }
        const turned = verdicts('exact', value as Json, property as Json, rules).map((verdict) =>
          verdict === undefined ? undefined : !verdict,
        )
        expect(verdicts('is_not', value as Json, property as Json, rules)).toEqual(turned)
      }),
    )
  })

  it('never says elsewhere what the service does not', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 3 }), fc.jsonValue(), (value, property) => {
        const [service, elsewhere] = verdicts('exact', value as Json, property as Json)
        expect([service, undefined]).toContain(elsewhere)
      }),
    )
  })

  it('has no verdict on what JSON cannot carry, and reads a date as its text', () => {
    const circle: Record<string, unknown> = {}
    circle['circle'] = circle
    expect(verdicts('exact', 'x', circle as Json)).toEqual([undefined, undefined])
    const moment = '2026-08-01T00:00:00.000Z'
    expect(verdicts('exact', moment, new Date(moment) as unknown as Json)).toEqual(yes)
  })

  it('looks a number up among many, whichever side is a text', () => {
    const numbers = Array.from({ length: 100_000 }, (_, n) => n)
    const texts = numbers.map((n) => `${n}.0`)
    const context = { complete: false, now: 0 }
    const [ofNumbers, ofTexts] = [operatorOf('exact', numbers), operatorOf('exact', texts)]
    const started = performance.now()
    for (let n = 0; n < 1_000; n++) {
      expect(ofNumbers.test('x', context)).toBe(false)
      expect(ofTexts.test(-1, context)).toBe(false)
    }
    expect(performance.now() - started).toBeLessThan(500)
    expect([ofNumbers.test('7', context), ofNumbers.test('7.0', context), ofTexts.test(7, context)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([ofNumbers.test('', context), operatorOf('exact', ['']).test(0, context)]).toEqual([false, false])
  })

  it('counts somebody without the property as not equal', () => {
    expect(operatorOf('exact', false).absent).toBe(false)
    expect(operatorOf('is_not', 'x').absent).toBe(true)
  })
})
