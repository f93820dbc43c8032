import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { allBut, anyOf, CLASSES, fromTo, has } from '../../../../src/evaluate/operators/pattern/char-set.ts'

const code = fc.oneof(fc.nat(200), fc.nat(0x10ffff))

it('has what its ranges have, however they overlap', () => {
  const ranges = fc.array(
    fc.tuple(code, code).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(ranges, code, (given, one) => {
      const set = anyOf(given.map(([low, high]) => fromTo(low, high)))
      const expected = given.some(([low, high]) => low <= one && one <= high)
      expect(has(set, one)).toBe(expected)
      expect(has(allBut(set), one)).toBe(!expected)
    }),
  )
})

it('has in each class what Unicode has, and the rest in its opposite', () => {
  const expected = {
    d: /^\p{Nd}$/u,
    w: /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u,
    s: /^\p{White_Space}$/u,
  }
  const codes = Array.from({ length: 0x3000 }, (_, one) => one)
  for (const [name, pattern] of Object.entries(expected)) {
    const members = codes.map((one) => pattern.test(String.fromCodePoint(one)))
    const opposite = CLASSES[name.toUpperCase()]!
    const more = anyOf([CLASSES[name]!, fromTo(0, 31)])
    expect(codes.map((one) => has(CLASSES[name]!, one))).toEqual(members)
    expect(codes.map((one) => !has(opposite, one))).toEqual(members)
    expect(codes.map((one) => has(more, one))).toEqual(members.map((is, one) => is || one < 32))
  }
})
