import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutApart } from '../../../../../src/service/export/picture/text/cut-apart.ts'
import { createKit } from '../../../support/pictures.ts'

const { ruler } = createKit()
const style = { size: 12 }

const cut = (texts: readonly string[], maxWidth: number): readonly string[] =>
  cutApart(
    texts.map((text) => ({ text, maxWidth })),
    style,
    ruler,
  )

describe('cutApart', () => {
  it('leaves labels that fit', () => {
    expect(cut(['https://a.example/a', 'https://a.example/b', ''], 300)).toEqual([
      'https://a.example/a',
      'https://a.example/b',
      '',
    ])
  })

  it('cuts labels that differ at the front at the end', () => {
    expect(cut(['apples and pears', 'pears and apples'], 60)).toEqual(['apples…', 'pears a…'])
  })

  it('shows the paths of URLs of one site', () => {
    const urls = ['https://shop.example', 'https://shop.example/shop', 'https://shop.example/pay']
    expect(cut(urls, 40)).toEqual(['http…', '/shop', '/pay'])
  })

  it('does not show pages of two sites as the same', () => {
    const urls = ['shop', 'blog'].flatMap((site) => ['a', 'b'].map((page) => `https://${site}.example.com/${page}`))
    const shown = cut(urls, 70)
    expect(shown.slice(0, 2)).toEqual(['/a', '/b'])
    expect(shown.slice(2)).not.toContain('/a')
  })

  it('leaves out whole words that all have in common at the front', () => {
    const names = ['Purchases of all customers', 'Purchases of new customers', 'Purchases of new customers in France']
    expect(cut(names, 90)).toEqual(['…all custom…', '…new custo…', '…in France'])
  })

  it('shows the same where labels are the same, or there is no room', () => {
    expect(cut(['a long label', 'a long label'], 40)).toEqual(['a lo…', 'a lo…'])
    expect(cut(['a long label', 'a long name'], 3)).toEqual(['', ''])
  })

  it('keeps different labels apart, and each in its room', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', 'ש'), minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        fc.uniqueArray(
          text.map((each) => `https://a.example/${each}`),
          { maxLength: 8 },
        ),
        (texts) => {
          const shown = cut(texts, 60)
          expect(new Set(shown).size).toBe(texts.length)
          for (const each of shown) expect(ruler.widthOf(each, style)).toBeLessThanOrEqual(60)
        },
      ),
    )
  })
})
