import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderPng } from '../../../../../src/service/export/picture/svg/render-png.ts'
import { createNode } from '../../../../../src/service/export/picture/svg/svg-node.ts'
import type { SvgNode } from '../../../../../src/service/export/picture/svg/svg-node.ts'
import { writeSvg } from '../../../../../src/service/export/picture/svg/write-svg.ts'
import { drawText } from '../../../../../src/service/export/picture/drawing/draw-text.ts'
import { findFurtherFonts, findMainFont } from '../../../../../src/service/export/picture/text/find-fonts.ts'
import type { Weight } from '../../../../../src/service/export/picture/text/font.ts'
import { measureShaped } from '../../../../../src/service/export/picture/text/measure-shaped.ts'
import { createKit, inspectPng, openLibrary } from '../../../support/pictures.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const { library, ruler } = createKit()

const SAMPLES = {
  Latin: 'The quick brown fox, Ä ö ß ñ ç é ž ş ő ł İ ı Ø þ',
  Vietnamese: 'Tiếng Việt: ữ ậ ộ',
  Greek: 'Ελληνικά: Ώ ΐ ς',
  Cyrillic: 'Кириллица: ё Ї ґ Ў Ә',
  Arabic: 'العربية: لا فارسی گچپژ ٤٥٦',
  Hebrew: 'עברית: שָׁלוֹם (12)',
  Armenian: 'Հայերեն և',
  Georgian: 'ქართული',
  signs: '$ € £ ¥ % ‰ × ÷ ± − – — … “ ” „ « » ‹ › § ¶ † • ° ™ © ® → ← ↑ ↓ ▲ ▼ ✓ ∞ ≈ ≠ ≤ ≥ ½ ² ³ #@&<>"\'\\|~^`{}[]',
  mixed: 'Hello, Γειά, Привет, שלום (12), مرحبا, Բարեւ, გამარჯობა – 100 % of $pageview!',
}

const WEIGHTS: readonly Weight[] = ['normal', 'bold']

const draw = (text: string, weight: Weight = 'normal'): SvgNode =>
  drawText({ text, x: 10, y: 30, size: 24, weight, fill: '#000000' }, ruler, 'replace')

const renderText = (text: string): Uint8Array => {
  const node = createNode('svg', { xmlns: 'http://www.w3.org/2000/svg', width: 60, height: 60 }, [draw(text)])
  return renderPng(writeSvg(node), 1, library.files())
}

/** What is drawn for a character that the font of its run lacks. */
const renderMissingGlyph = (): Uint8Array => {
  const attributes = { x: 10, y: 30, 'font-size': 24, 'font-family': "'DejaVu Sans'" }
  const node = createNode('svg', { xmlns: 'http://www.w3.org/2000/svg', width: 60, height: 60 }, [
    createNode('text', attributes, '日'),
  ])
  return renderPng(writeSvg(node), 1, library.files())
}

describe.each(Object.entries(SAMPLES))('text in %s', (_, text) => {
  it.each(WEIGHTS)('has a font for each character (%s)', (weight) => {
    for (const { text: run, font } of ruler.layOut(text, weight).runs) {
      expect(font, run).not.toBeNull()
      for (const character of run) expect(font!.covers(character.codePointAt(0)!), character).toBe(true)
    }
  })

  it('shows each character', () => {
    const missing = renderMissingGlyph()
    expect(inspectPng(missing).isBlank).toBe(false)
    for (const character of new Set(text.replaceAll(/[\s\p{M}]/gu, ''))) {
      const png = renderText(character)
      expect(inspectPng(png).isBlank, character).toBe(false)
      expect(Buffer.from(png).equals(missing), character).toBe(false)
    }
  })

  it('has a width in each run, and leaves no gap or overlap between runs', () => {
    const { runs, width } = ruler.layOut(text, 'normal')
    let end = 0
    for (const { offset, width: runWidth } of runs) {
      expect(runWidth).toBeGreaterThan(0)
      expect(offset).toBeCloseTo(end)
      end = offset + runWidth
    }
    expect(width).toBeCloseTo(end)
  })
})

describe('characters that no font has', () => {
  const text = 'Tea 茶 ☕ ชา'

  it('are replacement characters, one for each character as it is seen', () => {
    const svg = writeSvg(draw(text))
    expect(svg).toContain('>\uFFFD<')
    expect(svg).toContain('Tea ')
    expect(svg).toContain('☕')
    expect(svg).not.toContain('茶')
    expect(ruler.layOut('茶', 'normal').width).toBeCloseTo(library.main.normal.advanceOf(0xfffd))
    expect(inspectPng(renderText('茶')).isBlank).toBe(false)
    expect(Buffer.from(renderText('茶')).equals(renderMissingGlyph())).toBe(false)
  })

  it('stay in an SVG, with the width that is reserved for them', () => {
    const svg = writeSvg(drawText({ text, x: 0, y: 0, size: 10, fill: '#000000' }, ruler, 'keep'))
    expect(svg).toMatch(/textLength="10\.25"[^>]*>茶</)
  })
})

describe('further fonts', () => {
  it('are used for characters that the main font lacks, and opened when they are needed', () => {
    const folder = createTempFolder()
    // The main font again, under a name that comes after that of a broken file.
    writeFileSync(join(folder, 'a-broken.ttf'), 'not a font')
    writeFileSync(join(folder, 'readme.txt'), 'not a font, and not named as one')
    copyFileSync(findMainFont().bold, join(folder, 'b.ttf'))
    const files = findFurtherFonts(folder)
    expect(files.slice(0, 2)).toEqual([join(folder, 'a-broken.ttf'), join(folder, 'b.ttf')])
    const warnings: string[] = []
    const further = openLibrary(files.slice(0, 2), warnings)
    expect(further.find('a', 'normal')).toBe(further.main.normal)
    expect(further.files().length).toBe(2)
    expect(further.find('茶', 'normal')).toBeNull()
    expect(further.files()).toContain(join(folder, 'b.ttf'))
    expect(warnings).toEqual([expect.stringContaining('a-broken.ttf is not used')])
  })

  it('are none in a folder that is missing', () => {
    expect(findFurtherFonts(join(createTempFolder(), 'missing'))).toEqual(findFurtherFonts(null))
  })
})

it('measures a run from right to left with its blanks', () => {
  const font = library.main.normal
  const widthOf = (text: string): number => measureShaped({ text, font, isRightToLeft: true }, font)
  expect(widthOf('שלום ')).toBeCloseTo(widthOf('שלום') + font.advanceOf(0x20), 1)
  expect(widthOf('(שלום)')).toBeGreaterThan(widthOf('שלום') + 0.5)
})
