import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { writeCsv } from '../../../../src/service/export/format/csv.ts'
import { writeJson, writeNdjson } from '../../../../src/service/export/format/json.ts'
import type { Content } from '../../../../src/service/export/export-format.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
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

test('CSV has a header and the rows, in lines that end as RFC 4180 says', async () => {
  const text = await join(writeCsv(listTables([ALONE])))
  expect(text).toBe('a,b\r\n"x,""y""\n",1\r\n,""\r\n')
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
  const row = `'=1+1,'+49 30,'-x,'@sum,'\ta,"'\ra",-5,+1.5e3, =1,'=1,-5,,"[""=1""]"\r\n`
  expect(await join(writeCsv(listTables([FORMULAS])))).toBe(`'=A1\r\n'@x,'-\r\n${row}`)
})

test.each<[string, string | JsonObject, string]>([
  ['after a semicolon', 'a;=1+1', "a;'=1+1"],
  ['after a semicolon and quotes', 'a;"=1,1', `"a;""'=1,1"`],
  ['after a tab', 'a\t@sum', "a\t'@sum"],
  ['after a vertical bar', 'a|-x|+y', "a|'-x|'+y"],
  ['after the end of a line', 'a\n=1', `"a\n'=1"`],
  ['with full-width signs', '＝1;＋1;－1;＠x', "'＝1;'＋1;'－1;'＠x"],
  ['after a tab at the begin', '\t=1', "'\t'=1"],
  ['in an object', { a: 'b;=1' }, `"{""a"":""b;'=1""}"`],
])('CSV has no formula %s', async (_, text, cell) => {
  expect(await join(writeCsv(listTables([{ title: null, columns: ['a'], rows: [[text]] }])))).toBe(`a\r\n${cell}\r\n`)
})

test('CSV has signs inside of texts as they are', async () => {
  const table = { title: null, columns: ['a'], rows: [['a; b=1|c -d @e'], ['1;2']] }
  expect(await join(writeCsv(listTables([table])))).toBe('a\r\na; b=1|c -d @e\r\n1;2\r\n')
})

test('raw CSV has all cells as they are', async () => {
  const table = { ...FORMULAS, rows: [['=1+1', '@sum']] }
  expect(await join(writeCsv(listTables([table]), { raw: true }))).toBe('=A1\r\n@x,-\r\n=1+1,@sum\r\n')
})

test('CSV may begin with a byte order mark', async () => {
  expect(await join(writeCsv(listTables([TITLED, TITLED]), { bom: true }))).toMatch(
    /^\uFEFF"Views, all"\r\n[^\uFEFF]+$/,
  )
})

test('CSV of several tables has their titles, and an empty line between them', async () => {
  expect(await join(writeCsv(listTables([TITLED, TITLED])))).toBe(
    '"Views, all"\r\na\r\ntrue\r\n\r\n"Views, all"\r\na\r\ntrue\r\n',
  )
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
