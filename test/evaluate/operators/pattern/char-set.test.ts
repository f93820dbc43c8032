import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  complementOf,
  unionOf,
  CLASSES,
  rangeOf,
  hasChar,
} from '../../../../src/evaluate/operators/pattern/char-set.ts'

const codePoint = fc.oneof(fc.nat(200), fc.nat(0x10ffff))

it('contains exactly its ranges, even when they overlap', () => {
  const ranges = fc.array(
    fc
      .tuple(codePoint, codePoint)
      .map(([first, second]) => [Math.min(first, second), Math.max(first, second)] as const),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(ranges, codePoint, (bounds, char) => {
      const set = unionOf(bounds.map(([low, high]) => rangeOf(low, high)))
      const expected = bounds.some(([low, high]) => low <= char && char <= high)
      expect(hasChar(set, char)).toBe(expected)
      expect(hasChar(complementOf(set), char)).toBe(!expected)
    }),
  )
})

it('contains the Unicode characters of a class, and its complement contains all others', () => {
  const expected = {
    d: /^\p{Nd}$/u,
    w: /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u,
    s: /^\p{White_Space}$/u,
  }
  const codes = Array.from({ length: 0x3000 }, (_, index) => index)
  for (const [name, pattern] of Object.entries(expected)) {
    const members = codes.map((char) => pattern.test(String.fromCodePoint(char)))
    const opposite = CLASSES[name.toUpperCase()]!
    const withControls = unionOf([CLASSES[name]!, rangeOf(0, 31)])
    expect(codes.map((char) => hasChar(CLASSES[name]!, char))).toEqual(members)
    expect(codes.map((char) => !hasChar(opposite, char))).toEqual(members)
    expect(codes.map((char) => hasChar(withControls, char))).toEqual(
      members.map((isMember, char) => isMember || char < 32),
    )
  }
})
