import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitClusters } from '../../../../../src/service/export/picture/text/split-clusters.ts'
import { splitRuns } from '../../../../../src/service/export/picture/text/split-runs.ts'

/** Fonts by script: capital letters of Latin have none. */
const findFont = (cluster: string): string | null => {
  if (/^\p{Script=Han}/u.test(cluster)) return 'han'
  return /^[A-Z]/.test(cluster) ? null : 'main'
}

const lines = fc.string({
  unit: fc.constantFrom('a', 'B', 'é', ' ', '1', '(', ')', 'ש', 'ל', 'م', 'ر', '日', '本', 'e\u0301', '👩\u200D👧'),
})

const split = (line: string) => splitRuns(line, findFont)

describe('splitRuns', () => {
  it('gives each cluster to a run with its font, and loses none', () => {
    fc.assert(
      fc.property(lines, (line) => {
        const runs = split(line)
        for (const { text, font } of runs)
          for (const cluster of splitClusters(text)) expect(findFont(cluster)).toBe(font)
        const sorted = (text: string): string[] => [...splitClusters(text)].toSorted()
        expect(runs.flatMap(({ text }) => sorted(text)).toSorted()).toEqual(sorted(line))
      }),
    )
  })

  it('leaves a line from left to right in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', ' ', '1', '日', 'é', '(') }), (line) => {
        const runs = split(line)
        expect(runs.map(({ text }) => text).join('')).toBe(line)
        expect(runs.some(({ isRightToLeft }) => isRightToLeft)).toBe(false)
      }),
    )
  })

  it('splits only where the font or the direction changes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '日') }), (line) => {
        const fonts = split(line).map(({ font }) => font)
        expect(fonts.some((font, index) => index > 0 && font === fonts[index - 1])).toBe(false)
      }),
    )
  })

  it.each([
    ['abc', ['abc']],
    ['abc 日本 def', ['abc ', '日本', ' def']],
    ['abc DEF', ['abc ', 'DEF']],
    // Words from right to left in a line from left to right stay in the order of reading among themselves.
    ['abc שלום מרחב def', ['abc ', 'שלום מרחב', ' def']],
    // A line that begins from right to left goes on to the left.
    ['שלום abc', ['abc', 'שלום ']],
    ['שלום (12) abc!', ['!', 'abc', ') ', '12', 'שלום (']],
    // Two fonts in one direction from right to left: the first is on the right.
    ['שלום 日 מרחב', [' מרחב', '日', 'שלום ']],
  ])('orders the runs of %j as they are seen', (line, texts) => {
    expect(split(line).map(({ text }) => text)).toEqual(texts)
  })

  it('keeps a letter and its marks in one run', () => {
    const runs = splitRuns('e\u0301', (cluster) => (cluster.length > 1 ? 'marked' : 'plain'))
    expect(runs).toEqual([{ text: 'e\u0301', font: 'marked', isRightToLeft: false }])
  })
})
