import { describe, expect, it } from 'vitest'
import { cutLine, markCut } from '../../../../../src/service/export/picture/markdown/cut-line.ts'
import { orderLine } from '../../../../../src/service/export/picture/markdown/order-line.ts'
import { parseSpans } from '../../../../../src/service/export/picture/markdown/parse-spans.ts'
import { wrapSpans } from '../../../../../src/service/export/picture/markdown/wrap-spans.ts'
import type { StyledLine } from '../../../../../src/service/export/picture/markdown/wrap-spans.ts'
import { createKit } from '../../../support/pictures.ts'

const { ruler } = createKit()
const SIZE = 12
const WIDTH = 100

const wrap = (text: string): readonly StyledLine[] =>
  wrapSpans(parseSpans(text, { isBold: false, isLink: false }), SIZE, WIDTH, 10, ruler)

const toText = (line: StyledLine): string =>
  line.pieces.map(({ text, isSpaced }) => (isSpaced ? ` ${text}` : text)).join('')

/** The parts of each line from left to right, as they are seen; `<` is before one from right to left. */
const seen = (text: string): readonly (readonly string[])[] =>
  wrap(text).map((line) =>
    orderLine(line).map((part) => `${part.direction === 'right-to-left' ? '<' : ''}${part.text}`),
  )

describe('wrapSpans', () => {
  it('breaks between words, and not where the style changes inside a word', () => {
    expect(wrap('one two three four five').map(toText)).toEqual(['one two three', 'four five'])
    expect(wrap('one two th**ree** four five').map(toText)).toEqual(['one two three', 'four five'])
  })

  it('has one line without words, too', () => {
    expect(wrap(' ').map(toText)).toEqual([''])
  })

  it('counts characters as they are drawn', () => {
    expect(seen('a\u202E שלום \u202Db')).toEqual([['a ', '<שלום', ' b']])
  })
})

describe('a wrapped paragraph', () => {
  it('has its direction in each line', () => {
    expect(seen('one two three שלום four')).toEqual([['one two three'], ['<שלום', ' four']])
    expect(seen('שלום one two three. four, five.')).toEqual([
      ['one two', '<שלום '],
      ['<.', 'three. four, five'],
    ])
  })

  it('has the order of its whole text, where a number follows Arabic letters on the line before', () => {
    expect(seen('one two three مرحبا 12-34')).toEqual([['one two three'], ['34', '<-', '12', '<مرحبا ']])
    expect(seen('one مرحبا مرحبا 12-345678')).toEqual([
      ['one ', '<مرحبا مرحبا'],
      ['345678', '<-', '12'],
    ])
  })

  it('orders parts of several styles', () => {
    expect(seen('שלום **עולם** a')).toEqual([['a', '< ', '< עולם', '<שלום']])
  })

  it('is cut at the end of what is read', () => {
    const [line] = wrap(`${'ש'.repeat(50)} end`)
    expect(toText(cutLine(line!, SIZE, WIDTH, ruler))).toMatch(/^ש+…$/)
    const marked = cutLine(markCut(wrap('שלום a')[0]!), SIZE, WIDTH, ruler)
    expect(orderLine(marked).map(({ text }) => text)).toEqual([' …', 'a', 'שלום '])
  })
})
