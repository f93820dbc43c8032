import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from '../../../../../src/service/export/picture/text/clean-text.ts'

describe('cleanText', () => {
  it('makes one line of lines, tabs and control characters', () => {
    expect(cleanText(' a\r\n\tb\u0000\u0007c\u2028d ')).toBe('a b c d')
  })

  it('shows that a character was broken', () => {
    expect(cleanText('a\uD800b\uFFFE')).toBe('a\uFFFDb\uFFFD')
  })

  it('removes controls of the direction, and characters that show nothing', () => {
    expect(cleanText('\u202Eabc\u202C\u2066d\u2069\u200E\uFEFF\u{E0041}')).toBe('abcd')
  })

  it('keeps the joiners, which change the letters beside them', () => {
    expect(cleanText('می\u200Cخواهم')).toBe('می\u200Cخواهم')
    expect(cleanText('👩\u200D👧')).toBe('👩\u200D👧')
  })

  it('limits the marks on one letter', () => {
    expect(cleanText(`q${'\u0323'.repeat(500)}`)).toBe(`q${'\u0323'.repeat(8)}`)
  })

  it('is short and well-formed for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1500 }), (text) => {
        const clean = cleanText(text)
        expect(clean.length).toBeLessThanOrEqual(4000)
        // oxlint-disable-next-line no-control-regex
        expect(clean).not.toMatch(/[\0-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]|\p{Surrogate}/u)
        expect(clean).toBe(clean.trim())
      }),
      { numRuns: 50 },
    )
  })
})
