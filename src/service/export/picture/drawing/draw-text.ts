import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, round } from '../svg/svg-node.ts'
import type { Font } from '../text/font.ts'
import { markDirection } from '../text/mark-direction.ts'
import type { PlacedRun, Ruler, TextStyle } from '../text/ruler.ts'
import { MISSING_CHARACTER } from '../text/ruler.ts'
import { splitClusters } from '../text/split-clusters.ts'
import type { Direction } from '../text/split-runs.ts'

/** A line of text at a place. */
export interface TextMark extends TextStyle {
  readonly text: string
  readonly x: number
  /** Of the base line. */
  readonly y: number
  readonly fill: string
  /** Which point of the line is at `x`. Default: `start`. */
  readonly anchor?: 'start' | 'middle' | 'end'
  /** The line is cut to this width. Default: it is not cut. */
  readonly maxWidth?: number
  /** Of all characters. Default: as the Unicode Bidirectional Algorithm says for a string that stands alone. */
  readonly direction?: Direction
}

/** How characters that no font has are drawn: with a replacement character, or by the fonts of the program that shows the SVG. */
export type MissingGlyphs = 'replace' | 'keep'

/** A font like the main one, for programs that show an SVG and do not have that one. */
const FALLBACKS = 'Verdana, sans-serif'

/** How far below the middle of a line its base line is, in units of the font size. */
export const BASELINE_SHIFT = 0.36

const ANCHORS = { start: 0, middle: 0.5, end: 1 }

/** Draws a line of text: each run in the font that has its characters, at its own place. */
export const drawText = (
  { text, x, y, fill, anchor = 'start', size, weight = 'normal', maxWidth, direction }: TextMark,
  ruler: Ruler,
  missingGlyphs: MissingGlyphs,
): SvgNode => {
  const shown = maxWidth === undefined ? text : ruler.shorten(text, { size, weight }, maxWidth)
  const { runs, width } = ruler.layOut(shown, weight, direction)
  const common = { 'font-size': size, fill }
  const [first] = runs
  if (runs.length === 1 && first?.font) {
    const attributes = { x: round(x), y: round(y), ...common, ...describeFont(first.font), 'text-anchor': anchor }
    return createNode('text', attributes, markDirection(first))
  }
  const left = x - width * size * ANCHORS[anchor]
  const nodes = runs.map((run) => {
    const place = { x: round(left + run.offset * size), y: round(y), 'xml:space': 'preserve' }
    if (run.font !== null) return createNode('text', { ...place, ...describeFont(run.font) }, markDirection(run))
    return missingGlyphs === 'replace' ? drawReplacement(run, place, ruler) : drawKept(run, place, size)
  })
  return createNode('g', common, nodes)
}

const describeFont = ({ family, weight }: Font): Record<string, string | number> => ({
  'font-family': `'${family.replaceAll("'", '')}', ${FALLBACKS}`,
  'font-weight': weight,
})

const drawReplacement = (run: PlacedRun, place: Record<string, string | number>, ruler: Ruler): SvgNode => {
  const text = MISSING_CHARACTER.repeat(splitClusters(run.text).length)
  const font = ruler.layOut(text, 'normal').runs[0]!.font!
  return createNode('text', { ...place, ...describeFont(font) }, text)
}

/** With the width that is reserved for it, whatever font it gets. */
const drawKept = (run: PlacedRun, place: Record<string, string | number>, size: number): SvgNode =>
  createNode(
    'text',
    { ...place, 'font-family': 'sans-serif', textLength: round(run.width * size), lengthAdjust: 'spacingAndGlyphs' },
    markDirection(run),
  )
