import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowSplitter } from '../../src/import/row-splitter.ts'
import type { SplitOptions } from '../../src/import/row-splitter.ts'

const OPTIONS: SplitOptions = { hasQuotes: false, maxRowBytes: 1000, from: { offset: 0, lines: 0, doubtEnd: 0 } }

/** The rows of a text that comes in chunks of these lengths, and then in one. */
const split = (input: string | Buffer, options: Partial<SplitOptions> = {}, lengths: readonly number[] = []) => {
  const splitter = createRowSplitter({ ...OPTIONS, ...options })
  const rows = []
  let rest = Buffer.from(input)
  for (const length of lengths) {
    rows.push(...splitter.push(rest.subarray(0, length)))
    rest = rest.subarray(length)
  }
  rows.push(...splitter.push(rest), ...splitter.end())
  return rows.map(({ bytes, line, lines, end, doubtEnd, fault }) => ({
    line,
    lines,
    end,
    doubtEnd,
    fault,
    text: Buffer.from(bytes).toString(),
  }))
}

/** Texts of what matters to the splitter, and of signs of several bytes. */
const texts = fc
  .array(fc.constantFrom('"', '"', ',', '\n', '\r\n', '\r', ' ', 'a', 'é', '😀', '\uFEFF', 'bcd'), { maxLength: 40 })
  .map((parts) => parts.join(''))

test('the same rows come out wherever the input is cut into chunks, quoted or not, and however long they may be', () => {
  const lengths = fc.array(fc.nat(6), { maxLength: 30 })
  fc.assert(
    fc.property(
      texts,
      lengths,
      fc.boolean(),
      fc.integer({ min: 3, max: 30 }),
      (text, lengths, hasQuotes, maxRowBytes) => {
        const options = { hasQuotes, maxRowBytes }
        expect(split(text, options, lengths)).toEqual(split(text, options))
      },
    ),
    { numRuns: 2000 },
  )
})

test('lines are rows without their ends, blank ones left out, and each row knows where it is', () => {
  fc.assert(
    fc.property(
      texts.filter((text) => !text.includes('\uFEFF')),
      (text) => {
        const lines = text.split('\n').map((line, at) => ({ line: at + 1, text: line.replace(/\r$/, '') }))
        expect(split(text).map(({ line, text }) => ({ line, text }))).toEqual(
          lines.filter(({ text }) => /[^ \r]/.test(text)),
        )
      },
    ),
  )
})

test('reading can begin anew at the end of any row, and finds the same rows', () => {
  fc.assert(
    fc.property(texts, fc.boolean(), fc.nat(), (text, hasQuotes, at) => {
      const rows = split(text, { hasQuotes })
      const row = rows[at % Math.max(1, rows.length)]
      if (row === undefined) return
      const rest = Buffer.from(text).subarray(row.end)
      const again = split(rest, { hasQuotes, from: { offset: row.end, lines: row.lines, doubtEnd: row.doubtEnd } })
      expect(again).toEqual(rows.slice(rows.indexOf(row) + 1))
    }),
    { numRuns: 1000 },
  )
})

test('line ends inside quotes belong to the row, and doubled quotes end nothing', () => {
  const rows = split('a,"b\nc"\r\n"d ""e""\n\n",f\ng', { hasQuotes: true })
  expect(rows.map(({ line, text, fault }) => [line, text, fault])).toEqual([
    [1, 'a,"b\nc"', null],
    [3, '"d ""e""\n\n",f', null],
    [6, 'g', null],
  ])
})

test('a byte order mark is no part of the first row, and hides no quote', () => {
  expect(split('\uFEFF"a\nb",c\nd', { hasQuotes: true }).map(({ text }) => text)).toEqual(['"a\nb",c', 'd'])
  expect(split('\uFEFF{}\n\uFEFF{}').map(({ text }) => text)).toEqual(['{}', '\uFEFF{}'])
})

test.each([
  ['is never closed', 'a,b\n"c,d\ne,f\ng,h\n'],
  ['is never closed, in the last of all lines', 'a,b\ne,f\ng,h\n"c,d'],
  ['goes on after it was closed', 'a,b\n"c"d\ne,f\ng,h'],
  ['is closed by a stray quote lines later', 'a,b\n"c,d\ne,f\n"g",h\n'],
])('a quote that %s costs its own line and no other', (_, text) => {
  const rows = split(text, { hasQuotes: true })
  expect(rows.filter(({ fault }) => fault !== null).map(({ text }) => text.slice(0, 2))).toEqual(['"c'])
  expect(rows).toHaveLength(text.trim().split('\n').length)
})

test('a line that is too long is cut off, whatever it holds, and the next one is whole', () => {
  const long = 'x'.repeat(100_000)
  for (const hasQuotes of [false, true]) {
    const rows = split(`ab\n${long}\ncd`, { hasQuotes }, [50, 5000, 40_000])
    expect(rows.map(({ fault, line }) => [line, fault])).toEqual([
      [1, null],
      [2, 'too_large'],
      [3, null],
    ])
    expect(rows[1]!.text).toHaveLength(1000)
    expect(rows[2]!.text).toBe('cd')
  }
})

test('a quoted cell that is too long is as good as never closed', () => {
  const rows = split(`"a\nb\n${'x'.repeat(2000)}`, { hasQuotes: true })
  expect(rows.map(({ line, fault }) => [line, fault])).toEqual([
    [1, 'broken_quote'],
    [2, null],
    [3, 'too_large'],
  ])
})

test('each byte of broken rows is looked at a few times, not once for each line before it', () => {
  // Quotes that go on for ever, since the outer ones are missing; and such that break in each line.
  for (const line of ['step","u1","2024-01-01\n', 'a,"b"c\n', 'a,"b\n']) {
    const text = `e,u,t\n${line.repeat(100_000)}`
    const rows = split(text, { hasQuotes: true, maxRowBytes: 1_000_000 })
    expect(rows).toHaveLength(100_001)
    expect(rows.slice(2, -1).every(({ fault }) => fault === 'broken_quote')).toBe(true)
  }
}, 20_000)

test('a broken row holds on to no more than its chunk', () => {
  const chunk = Buffer.from('a,"b"c\n'.repeat(1000))
  const rows = createRowSplitter({ ...OPTIONS, hasQuotes: true }).push(chunk)
  expect(rows.every(({ bytes }) => bytes.buffer === chunk.buffer)).toBe(true)
})

test('behind a broken row line ends inside quotes are followed again', () => {
  const rows = split('a,"b\nc,"d"\n"e\nf",g\n', { hasQuotes: true })
  expect(rows.map(({ text, fault }) => [text, fault])).toEqual([
    ['a,"b', 'broken_quote'],
    ['c,"d"', null],
    ['"e\nf",g', null],
  ])
})
