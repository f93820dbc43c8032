import * as fc from 'fast-check'
import readExcelFile from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { writeXlsx } from '../../../../src/service/export/format/xlsx.ts'
import type { Table } from '../../../../src/service/export/table/table.ts'

const listTables = async function* (tables: readonly Table[]): AsyncGenerator<Table> {
  yield* tables
}

const write = async (tables: readonly Table[], maxRows?: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeXlsx(listTables(tables), maxRows)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const table = (
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  title: string | null = null,
): Table => ({
  title,
  columns,
  rows,
})

/** The sheets of a workbook, as another package reads them. */
const read = async (tables: readonly Table[], maxRows?: number) => readExcelFile(await write(tables, maxRows))

describe('a workbook', () => {
  test('has a sheet for each table', async () => {
    const rows = [
      ['view', 1.5],
      ['buy', -2e21],
    ]
    const sheets = [table(['name', 'count'], rows, 'Views'), table(['a'], [[true], [null], [false]], 'Buys')]
    expect(await read(sheets)).toEqual([
      {
        sheet: 'Views',
        data: [
          ['name', 'count'],
          ['view', 1.5],
          ['buy', -2e21],
        ],
      },
      { sheet: 'Buys', data: [['a'], [true], [null], [false]] },
    ])
  })

  test('has a sheet without tables', async () => {
    expect(await read([])).toMatchObject([{ sheet: 'Export' }])
  })

  test('has dates and times in UTC as dates', async () => {
    const texts = [
      '2026-01-15',
      '2026-01-15T10:20:30.456Z',
      '2026-01-15 10:00:00',
      '2024-02-29T23:59',
      '1900-03-01',
      '9999-12-31',
    ]
    const [sheet] = await read([
      table(
        ['time'],
        texts.map((text) => [text]),
      ),
    ])
    expect(sheet?.data.slice(1)).toEqual([
      [new Date('2026-01-15T00:00:00Z')],
      [new Date('2026-01-15T10:20:30.456Z')],
      [new Date('2026-01-15T10:00:00Z')],
      [new Date('2024-02-29T23:59:00Z')],
      [new Date('1900-03-01T00:00:00Z')],
      [new Date('9999-12-31T00:00:00Z')],
    ])
  })

  test('keeps texts as they are: no formulas or numbers', async () => {
    const texts = [
      '=1+1',
      '+1',
      '@SUM(A1)',
      '0012',
      '2026-02-30',
      '2026-01-15T10:00:00+02:00',
      '2026-01-15 x',
      '1899-12-31',
      ' space ',
      '<b>&amp;"',
      '漢字 😀',
      'line\nline',
      '_x0007_',
    ]
    const [sheet] = await read([
      table(
        ['text'],
        texts.map((text) => [text]),
      ),
    ])
    expect(sheet?.data.slice(1)).toEqual(texts.map((text) => [text.trim()]))
  })

  test('has any text and number', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 5 }), async (cells) => {
        const [sheet] = await read([
          table(
            cells.map((_, index) => `column ${index}`),
            [cells],
          ),
        ])
        const numbersAndTruths = (values: readonly unknown[] = []) =>
          values.map((value) => (typeof value === 'string' || value === null ? '' : value === 0 ? 0 : value))
        // The library that reads the file trims strings, and drops a last row that is then empty.
        const isFilled = cells.some((value) => typeof value !== 'string' || value.trim() !== '')
        if (isFilled) expect(sheet?.data).toHaveLength(2)
        if (sheet!.data.length === 2) expect(numbersAndTruths(sheet?.data[1])).toEqual(numbersAndTruths(cells))
      }),
      { numRuns: 50 },
    )
  })

  test('has lists and objects as JSON, and cuts a string that is longer than a cell can be', async () => {
    const [sheet] = await read([table(['list', 'object', 'long'], [[[1, 'a'], { b: 2 }, 'x'.repeat(40_000)]])])
    const [list, object, long] = sheet!.data[1]!
    expect([list, object, (long as string).length, (long as string).at(-1)]).toEqual([
      '[1,"a"]',
      '{"b":2}',
      32_767,
      '…',
    ])
  })

  test('continues a table that is longer than a sheet can be in the next one', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => [index])
    expect(await read([table(['n'], rows, 'Long')], 3)).toEqual([
      { sheet: 'Long', data: [['n'], [0], [1]] },
      { sheet: 'Long (2)', data: [['n'], [2], [3]] },
      { sheet: 'Long (3)', data: [['n'], [4]] },
    ])
  })
})
