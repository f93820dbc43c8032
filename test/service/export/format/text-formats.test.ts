import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { writeCsv } from '../../../../src/service/export/format/csv.ts'
import { writeJson, writeNdjson } from '../../../../src/service/export/format/json.ts'
import type { Content } from '../../../../src/service/export/export-format.ts'
import type { Table } from '../../../../src/service/export/table/table.ts'

const listTables = async function* (tables: readonly Table[]): AsyncGenerator<Table> {
  yield* tables
}

const join = async (content: Content): Promise<string> => {
  let text = ''
  for await (const chunk of content) text += String(chunk)
  return text
}

const ALONE: Table = {
  title: null,
  columns: ['a', 'b'],
  rows: [
    ['x,"y"\n', 1],
    [null, ''],
  ],
}
const TITLED: Table = { title: 'Views, all', columns: ['a'], rows: [[true]] }

test('CSV has a header and the rows', async () => {
  const text = await join(writeCsv(listTables([ALONE])))
  expect(text).toBe('a,b\n"x,""y""\n",1\n,""\n')
  expect(parse(text)).toEqual([
    ['a', 'b'],
    ['x,"y"\n', '1'],
    ['', ''],
  ])
})

const FORMULAS: Table = {
  title: '=A1',
  columns: ['@x', '-'],
  rows: [['=1+1', '+49 30', '-x', '@sum', '\ta', '\ra', '-5', '+1.5e3', ' =1', "'=1", -5, null, ['=1']]],
}

test('CSV has no cells that spreadsheet programs take for formulas', async () => {
  const row = `'=1+1,'+49 30,'-x,'@sum,'\ta,"'\ra",-5,+1.5e3, =1,'=1,-5,,"[""=1""]"\n`
  expect(await join(writeCsv(listTables([FORMULAS])))).toBe(`'=A1\n'@x,'-\n${row}`)
})

test('raw CSV has all cells as they are', async () => {
  const table = { ...FORMULAS, rows: [['=1+1', '@sum']] }
  expect(await join(writeCsv(listTables([table]), { raw: true }))).toBe('=A1\n@x,-\n=1+1,@sum\n')
})

test('CSV may begin with a byte order mark', async () => {
  expect(await join(writeCsv(listTables([TITLED, TITLED]), { bom: true }))).toMatch(/^\uFEFF"Views, all"\n[^\uFEFF]+$/)
})

test('CSV of several tables has their titles, and an empty line between them', async () => {
  expect(await join(writeCsv(listTables([TITLED, TITLED])))).toBe('"Views, all"\na\ntrue\n\n"Views, all"\na\ntrue\n')
})

test('JSON lines have an object for each row, with the title of its table', async () => {
  expect(await join(writeNdjson(listTables([ALONE, TITLED])))).toBe(
    '{"a":"x,\\"y\\"\\n","b":1}\n{"a":null,"b":""}\n{"insight":"Views, all","a":true}\n',
  )
})

test('JSON is one array of the rows', async () => {
  expect(JSON.parse(await join(writeJson(listTables([ALONE]))))).toEqual([
    { a: 'x,"y"\n', b: 1 },
    { a: null, b: '' },
  ])
  expect(JSON.parse(await join(writeJson(listTables([]))))).toEqual([])
})
