import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { measureShaped } from '../../../../../src/service/export/picture/text/measure-shaped.ts'
import { splitClusters } from '../../../../../src/service/export/picture/text/split-clusters.ts'
import { createKit, openLibrary } from '../../../support/pictures.ts'

const { ruler } = createKit()
const style = { size: 12 }

const texts = fc.string({
  unit: fc.constantFrom('a', 'W', ' ', '1', 'ש', 'م', 'ر', 'Ж', '日', 'é', '👩\u200D👧', '<', '&'),
  maxLength: 30,
})

describe('ruler', () => {
  it.each(['Hello World', 'AVATAR', 'שלום עולם', 'Привет', 'مرحبا بالعالم', 'Hello שלום 12', '1,234.5%'])(
    'measures %j as wide as it is drawn, or a little wider',
    (text) => {
      const library = openLibrary()
      const width = ruler.widthOf(text, { size: 1 })
      const drawn = ruler
        .layOut(text, 'normal')
        .runs.reduce((sum, run) => sum + measureShaped(run, run.font ?? library.main.normal), 0)
      expect(width).toBeGreaterThan(drawn - 0.01)
      expect(width).toBeLessThan(drawn * 1.1)
    },
  )

  it('measures bold text with the bold font', () => {
    expect(ruler.widthOf('Title', { size: 12, weight: 'bold' })).toBeGreaterThan(ruler.widthOf('Title', style))
  })

  it('shortens a text so that it fits, and leaves one that fits', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 300 }), (text, maxWidth) => {
        const shortened = ruler.shorten(text, style, maxWidth)
        expect(ruler.widthOf(shortened, style)).toBeLessThanOrEqual(maxWidth)
        if (ruler.widthOf(text, style) <= maxWidth) expect(shortened).not.toMatch(/.…$/u)
      }),
      { numRuns: 50, examples: [['aaaa', 0]] },
    )
  })

  it('cuts between characters as they are seen', () => {
    const family = '👩\u200D👧'
    for (let maxWidth = 0; maxWidth < 60; maxWidth += 5) {
      const clusters = splitClusters(ruler.shorten(family.repeat(5), style, maxWidth))
      expect(clusters.every((cluster) => cluster === family || cluster === '…')).toBe(true)
    }
  })

  it('shortens a long text in bounded time', () => {
    expect(ruler.shorten('x'.repeat(1_000_000), style, 50)).toMatch(/^x+…$/)
  })
})
