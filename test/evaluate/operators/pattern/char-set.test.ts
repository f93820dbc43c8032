import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  complementOf,
  unionOf,
  CLASSES,
  rangeOf,
  hasChar,
} from '../../../../src/evaluate/operators/pattern/char-set.ts'

const code = fc.oneof(fc.nat(200), fc.nat(0x10ffff))

it('contains exactly its ranges, even when they overlap', () => {
  const ranges = fc.array(
    fc.tuple(code, code).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(ranges, code, (bounds, char) => {
      const set = unionOf(bounds.map(([low, high]) => rangeOf(low, high)))
      const expected = bounds.some(([low, high]) => low <= char && char <= high)
      expect(hasChar(set, char)).toBe(expected)
      expect(hasChar(complementOf(set), char)).toBe(!expected)
    }),
  )
})

it('contains the Unicode characters of a class, and its complement the other ones', () => {
  const expected = {
    d: /^\p{Nd}$/u,
    w: /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u,
    s: /^\p{White_Space}$/u,
  }
  const codes = Array.from({ length: 0x3000 }, (_, one) => one)
  for (const [name, pattern] of Object.entries(expected)) {
    const members = codes.map((one) => pattern.test(String.fromCodePoint(one)))
    const opposite = CLASSES[name.toUpperCase()]!
    const withControls = unionOf([CLASSES[name]!, rangeOf(0, 31)])
    expect(codes.map((one) => hasChar(CLASSES[name]!, one))).toEqual(members)
    expect(codes.map((one) => !hasChar(opposite, one))).toEqual(members)
    expect(codes.map((one) => hasChar(withControls, one))).toEqual(members.map((is, one) => is || one < 32))
  }
})
