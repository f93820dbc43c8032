import { cleanText } from './clean-text.ts'
import type { FontLibrary } from './font-library.ts'
import type { Font, Weight } from './font.ts'
import type { MeasureShaped } from './measure-shaped.ts'
import { splitClusters } from './split-clusters.ts'
import type { Direction, Run } from './split-runs.ts'
import { splitRuns } from './split-runs.ts'

export interface TextStyle {
  /** Pixels. */
  readonly size: number
  readonly weight?: Weight
}

/** A line of text with the places of its runs, in units of the font size. */
export interface Line {
  readonly runs: readonly PlacedRun[]
  readonly width: number
}

export interface PlacedRun extends Run<Font> {
  /** From the left end of the line. */
  readonly offset: number
  readonly width: number
}

/** Measures texts with the fonts that draw them. Any string may be given; see `cleanText`. */
export interface Ruler {
  /**
   * @param direction Of all characters of a string that is a part of a line, which is measured exactly. Default: as the Unicode
   * Bidirectional Algorithm says.
   */
  layOut(text: string, weight: Weight, direction?: Direction): Line
  /** Pixels. */
  widthOf(text: string, style: TextStyle): number
  /** The text, or its beginning with an ellipsis, so that it fits; empty when not even one character does. */
  shorten(text: string, style: TextStyle, maxWidth: number): string
}

const ELLIPSIS = '…'

/** What stands in for a character that no font has. */
export const MISSING_CHARACTER = '\uFFFD'

/** Scripts whose letters do not change with those beside them: the widths of the letters add up. */
const HAS_FIXED_LETTERS = new RegExp(
  `^[${[
    'Latin',
    'Greek',
    'Cyrillic',
    'Armenian',
    'Georgian',
    'Hebrew',
    'Han',
    'Hiragana',
    'Katakana',
    'Hangul',
    'Common',
  ]
    .map((script) => `\\p{Script=${script}}`)
    .join('')}]*$`,
  'u',
)

/** Most lines whose places are kept. */
const MAX_LINES = 5000

export const createRuler = (library: FontLibrary, measureShaped: MeasureShaped): Ruler => {
  const lines = { normal: new Map<string, Line>(), bold: new Map<string, Line>() }

  const sumAdvances = ({ text, font }: Run<Font>): number => {
    if (font === null)
      return splitClusters(text).length * library.main.normal.advanceOf(MISSING_CHARACTER.codePointAt(0)!)
    let sum = 0
    for (const character of text) sum += font.advanceOf(character.codePointAt(0)!)
    return sum
  }

  const measure = (run: Run<Font>, isAlone: boolean): number => {
    // A line of one run has no place that depends on its exact width: the sum is at most a few per cent more, by kerning.
    if (run.font === null || (isAlone && HAS_FIXED_LETTERS.test(run.text))) return sumAdvances(run)
    return measureShaped(run, run.font)
  }

  const layOutClean = (text: string, weight: Weight, direction?: Direction): Line => {
    // No clean text begins with a line feed.
    const key = direction === undefined ? text : `\n${direction}\n${text}`
    const stored = lines[weight].get(key)
    if (stored !== undefined) return stored
    const runs = splitRuns(text, (cluster) => library.find(cluster, weight), direction)
    let width = 0
    const placed = runs.map((run) => {
      const offset = width
      const runWidth = measure(run, runs.length === 1 && direction === undefined)
      width += runWidth
      const { text: part, font, isRightToLeft } = run
      return { text: part, font, isRightToLeft, offset, width: runWidth }
    })
    const line = { runs: placed, width }
    if (lines[weight].size >= MAX_LINES) lines[weight].clear()
    lines[weight].set(key, line)
    return line
  }

  const fits = (text: string, { size, weight = 'normal' }: TextStyle, maxWidth: number): boolean =>
    layOutClean(text, weight).width * size <= maxWidth

  return {
    layOut: (text, weight, direction) => layOutClean(cleanText(text), weight, direction),
    widthOf: (text, { size, weight = 'normal' }) => layOutClean(cleanText(text), weight).width * size,
    shorten(input, style, maxWidth) {
      const text = cleanText(input)
      if (fits(text, style, maxWidth)) return text
      const clusters = splitClusters(text)
      let low = 0
      let high = clusters.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (fits(cut(clusters, middle), style, maxWidth)) low = middle
        else high = middle - 1
      }
      return low === 0 ? '' : cut(clusters, low)
    },
  }
}

const cut = (clusters: readonly string[], count: number): string =>
  `${clusters.slice(0, count).join('').trimEnd()}${ELLIPSIS}`
