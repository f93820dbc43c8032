import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowSplitter } from '../../src/import/row-splitter.ts'
import type { RowSplitterOptions } from '../../src/import/row-splitter.ts'

const OPTIONS: RowSplitterOptions = {
  hasQuotes: false,
  maxRowBytes: 1000,
  startPosition: { offset: 0, lines: 0, doubtEnd: 0 },
}

/** Splits an input that arrives in chunks of these lengths; what is left is the last chunk. */
const split = (input: string | Buffer, options: Partial<RowSplitterOptions> = {}, lengths: readonly number[] = []) => {
  const splitter = createRowSplitter({ ...OPTIONS, ...options })
  const rows = []
  let remainingBytes = Buffer.from(input)
  for (const length of lengths) {
    rows.push(...splitter.push(remainingBytes.subarray(0, length)))
    remainingBytes = remainingBytes.subarray(length)
  }
  rows.push(...splitter.push(remainingBytes), ...splitter.end())
  return rows.map(({ bytes, line, lineCount, endOffset, doubtEnd, fault }) => ({
    line,
    lines: lineCount,
    end: endOffset,
    doubtEnd,
    fault,
    text: Buffer.from(bytes).toString(),
  }))
}

/** Strings of the characters that matter to the splitter, and of multi-byte characters. */
const inputs = fc
  .array(fc.constantFrom('"', '"', ',', '\n', '\r\n', '\r', ' ', 'a', 'é', '😀', '\uFEFF', 'bcd'), { maxLength: 40 })
  .map((parts) => parts.join(''))

test('returns the same rows for any chunk boundaries', () => {
  const lengths = fc.array(fc.nat(6), { maxLength: 30 })
  fc.assert(
    fc.property(
      inputs,
      lengths,
      fc.boolean(),
      fc.integer({ min: 3, max: 30 }),
      (input, lengths, hasQuotes, maxRowBytes) => {
        const options = { hasQuotes, maxRowBytes }
        expect(split(input, options, lengths)).toEqual(split(input, options))
      },
    ),
    { numRuns: 2000 },
  )
})

test('returns lines with their numbers, without line ends and blank lines', () => {
  fc.assert(
    fc.property(
      inputs.filter((input) => !input.includes('\uFEFF')),
      (input) => {
        const lines = input.split('\n').map((line, index) => ({ line: index + 1, text: line.replace(/\r$/, '') }))
        expect(split(input).map(({ line, text }) => ({ line, text }))).toEqual(
          lines.filter(({ text }) => /[^ \r]/.test(text)),
        )
      },
    ),
  )
})

test('returns the same rows when splitting continues after any row', () => {
  fc.assert(
    fc.property(inputs, fc.boolean(), fc.nat(), (input, hasQuotes, index) => {
      const rows = split(input, { hasQuotes })
      const row = rows[index % Math.max(1, rows.length)]
      if (row === undefined) return
      const remainingInput = Buffer.from(input).subarray(row.end)
      const rowsAfter = split(remainingInput, {
        hasQuotes,
        startPosition: { offset: row.end, lines: row.lines, doubtEnd: row.doubtEnd },
      })
      expect(rowsAfter).toEqual(rows.slice(rows.indexOf(row) + 1))
    }),
    { numRuns: 1000 },
  )
})

test('keeps line ends inside quotes, and does not end a cell at a doubled quote', () => {
  const rows = split('a,"b\nc"\r\n"d ""e""\n\n",f\ng', { hasQuotes: true })
  expect(rows.map(({ line, text, fault }) => [line, text, fault])).toEqual([
    [1, 'a,"b\nc"', null],
    [3, '"d ""e""\n\n",f', null],
    [6, 'g', null],
  ])
})

test('removes a byte order mark before the first row, also before a quote', () => {
  expect(split('\uFEFF"a\nb",c\nd', { hasQuotes: true }).map(({ text }) => text)).toEqual(['"a\nb",c', 'd'])
  expect(split('\uFEFF{}\n\uFEFF{}').map(({ text }) => text)).toEqual(['{}', '\uFEFF{}'])
})

test.each([
  ['is never closed', 'a,b\n"c,d\ne,f\ng,h\n'],
  ['is never closed, in the last line', 'a,b\ne,f\ng,h\n"c,d'],
  ['is followed by more characters', 'a,b\n"c"d\ne,f\ng,h'],
  ['is closed by a stray quote lines later', 'a,b\n"c,d\ne,f\n"g",h\n'],
])('reports only one broken line for a quote that %s', (_, csv) => {
  const rows = split(csv, { hasQuotes: true })
  expect(rows.filter(({ fault }) => fault !== null).map(({ text }) => text.slice(0, 2))).toEqual(['"c'])
  expect(rows).toHaveLength(csv.trim().split('\n').length)
})

test('truncates a line that is too long, and returns the next line unchanged', () => {
  const longLine = 'x'.repeat(100_000)
  for (const hasQuotes of [false, true]) {
    const rows = split(`ab\n${longLine}\ncd`, { hasQuotes }, [50, 5000, 40_000])
    expect(rows.map(({ fault, line }) => [line, fault])).toEqual([
      [1, null],
      [2, 'too_large'],
      [3, null],
    ])
    expect(rows[1]!.text).toHaveLength(1000)
    expect(rows[2]!.text).toBe('cd')
  }
})

test('reports a quoted cell that is too long as a broken quote', () => {
  const rows = split(`"a\nb\n${'x'.repeat(2000)}`, { hasQuotes: true })
  expect(rows.map(({ line, fault }) => [line, fault])).toEqual([
    [1, 'broken_quote'],
    [2, null],
    [3, 'too_large'],
  ])
})

test('splits 100,000 broken rows in linear time', () => {
  // Quotes that are never closed because the outer ones are missing, and quotes that are broken in each line.
  for (const line of ['step","u1","2024-01-01\n', 'a,"b"c\n', 'a,"b\n']) {
    const text = `e,u,t\n${line.repeat(100_000)}`
    const rows = split(text, { hasQuotes: true, maxRowBytes: 1_000_000 })
    expect(rows).toHaveLength(100_001)
    expect(rows.slice(2, -1).every(({ fault }) => fault === 'broken_quote')).toBe(true)
  }
}, 20_000)

test('returns broken rows as views of their chunk, without copying them', () => {
  const chunk = Buffer.from('a,"b"c\n'.repeat(1000))
  const rows = createRowSplitter({ ...OPTIONS, hasQuotes: true }).push(chunk)
  expect(rows.every(({ bytes }) => bytes.buffer === chunk.buffer)).toBe(true)
})

test('accepts line ends inside quotes in rows after a broken row', () => {
  const rows = split('a,"b\nc,"d"\n"e\nf",g\n', { hasQuotes: true })
  expect(rows.map(({ text, fault }) => [text, fault])).toEqual([
    ['a,"b', 'broken_quote'],
    ['c,"d"', null],
    ['"e\nf",g', null],
  ])
})
