import { afterEach, expect, it } from 'vitest'
import { cacheStatements } from '../../../../src/service/store/metadata/cache-statements.ts'
import { openSqlite } from '../../../../src/service/store/sqlite/sqlite.ts'

const file = openSqlite(':memory:')
file.exec('create table word (text text not null)')
const preparedSql: string[] = []
const database = cacheStatements({
  prepare: (sql) => {
    preparedSql.push(sql)
    return file.prepare(sql)
  },
  close: () => file.close(),
})

afterEach(() => {
  preparedSql.length = 0
})

it('prepares an SQL string once for all parameters', () => {
  const insert = 'insert into word values (?)'
  database.prepare(insert).run(['one'])
  database.prepare(insert).run(['two'])
  expect(file.prepare('select text from word').pluck().all()).toEqual(['one', 'two'])
  expect(preparedSql).toEqual([insert])
})

it('returns columns that were added after the statement was cached', () => {
  const selectRow = 'select * from word limit 1'
  expect(database.prepare(selectRow).all([])).toEqual([{ text: 'one' }])
  file.exec('alter table word add column length integer')
  expect(database.prepare(selectRow).all([])).toEqual([{ text: 'one', length: null }])
})

it('evicts the oldest statement', () => {
  // More than the 200 statements that are cached.
  for (let n = 0; n < 300; n++) database.prepare(`select ${n} as n`)
  preparedSql.length = 0
  expect(database.prepare('select 299 as n').all([])).toEqual([{ n: 299 }])
  expect(database.prepare('select 0 as n').all([])).toEqual([{ n: 0 }])
  expect(preparedSql).toEqual(['select 0 as n'])
})
