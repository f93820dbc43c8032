import type SqliteModule from 'better-sqlite3'
import { createRequire } from 'node:module'
import { afterEach, expect, it } from 'vitest'
import { keepStatements } from '../../../../src/service/store/metadata/kept-statements.ts'

// A dependency of the service, not of the root.
const installed = createRequire(new URL('../../../../src/service/package.json', import.meta.url))
const Sqlite = installed('better-sqlite3') as typeof SqliteModule

const file = new Sqlite(':memory:')
file.exec('create table word (text text not null)')
const prepared: string[] = []
const database = keepStatements({
  prepare: (sql) => {
    prepared.push(sql)
    return file.prepare(sql)
  },
  close: () => file.close(),
})

afterEach(() => {
  prepared.length = 0
})

it('prepares a text once, for whatever parameters', () => {
  const insert = 'insert into word values (?)'
  database.prepare(insert).run(['one'])
  database.prepare(insert).run(['two'])
  expect(file.prepare('select text from word').pluck().all()).toEqual(['one', 'two'])
  expect(prepared).toEqual([insert])
})

it('reads the columns that a table has by now', () => {
  const all = 'select * from word limit 1'
  expect(database.prepare(all).all([])).toEqual([{ text: 'one' }])
  file.exec('alter table word add column length integer')
  expect(database.prepare(all).all([])).toEqual([{ text: 'one', length: null }])
})

it('forgets the oldest of very many texts', () => {
  for (let n = 0; n < 300; n++) database.prepare(`select ${n} as n`)
  prepared.length = 0
  expect(database.prepare('select 299 as n').all([])).toEqual([{ n: 299 }])
  expect(database.prepare('select 0 as n').all([])).toEqual([{ n: 0 }])
  expect(prepared).toEqual(['select 0 as n'])
})
