import { expect, it } from 'vitest'
import { drawPicture } from '../../../../../src/service/export/picture/draw-picture.ts'
import type { InsightTile } from '../../../../../src/service/export/picture/picture.ts'
import { createKit, parseSvg, requestOf, trends } from '../../../support/pictures.ts'

const kit = createKit()

const linesOf = (error: string): readonly string[] => {
  const tile: InsightTile = { ...trends([]), title: null, error }
  const { texts } = parseSvg(drawPicture(requestOf(tile, { width: 200, height: 150 }), kit))
  return texts.map((text) => text.replaceAll('\u200F', ''))
}

it('breaks between words, and at the ends of lines', () => {
  expect(linesOf('one two three four five six\n\nseven')).toEqual(['one two three four five', 'six', 'seven'])
})

it('cuts long words, and what is left after the last line', () => {
  expect(linesOf('x'.repeat(100))).toEqual([expect.stringMatching(/^x+…$/)])
  expect(linesOf('one\n'.repeat(9))).toEqual(['one', 'one', 'one', 'one', 'one', 'one …'])
})

it('has the direction of its paragraph in each line', () => {
  expect(linesOf('one two three four שלום six')).toEqual(['one two three four', 'שלום', 'six'])
})
