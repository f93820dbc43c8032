import { Resvg } from '@resvg/resvg-js'
import { createNode } from '../svg/svg-node.ts'
import { writeSvg } from '../svg/write-svg.ts'
import type { Font } from './font.ts'
import { markDirection } from './mark-direction.ts'
import type { Run } from './split-runs.ts'

/** Measures a run as the renderer draws it: with kerning, ligatures and joined letters. In units of the font size. */
export type MeasureShaped = (run: Run<Font>, font: Font) => number

const SIZE = 100

/** Its right edge is where the text before it ends, also when that is blank. */
const END = '|'

export const measureShaped: MeasureShaped = (run, font) => {
  const rightEdgeOf = (string: string): number => {
    const attributes = { 'font-size': SIZE, 'font-family': `'${font.family}'`, 'font-weight': font.weight }
    const node = createNode('svg', { xmlns: 'http://www.w3.org/2000/svg', width: 100, height: 100 }, [
      createNode('text', { ...attributes, 'xml:space': 'preserve' }, string),
    ])
    const box = new Resvg(writeSvg(node), { font: { loadSystemFonts: false, fontFiles: [font.file] } }).getBBox()
    return box === undefined ? 0 : box.x + box.width
  }
  return (rightEdgeOf(`${markDirection(run)}${END}`) - rightEdgeOf(END)) / SIZE
}
