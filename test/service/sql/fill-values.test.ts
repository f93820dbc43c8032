import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillValues as fillUpTo } from '../../../src/service/sql/fill-values.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { chooseStoreSql } from '../../../src/service/choose-store-sql.ts'

const { syntax } = chooseStoreSql({ events: null })
const clickHouse = chooseStoreSql({ events: 'clickhouse://host' }).syntax

const fillValues = (sql: string, values: JsonObject, of = syntax) => fillUpTo(sql, values, 10_000, of)

describe('the values of SQL', () => {
  test('stand where their names are', () => {
    const values = { name: "it's", count: -1.5, isNew: true, none: null, list: ['a', 'b'] }
    const sql = 'SELECT {name}, 1-{count}, { isNew }, {none} WHERE a IN {list} AND b = {name}'
    expect(fillValues(sql, values)).toEqual({
      sql: "SELECT  ('it''s') , 1- (-1.5) ,  (true) ,  (null)  WHERE a IN  ['a', 'b']  AND b =  ('it''s') ",
    })
  })

  test('leave strings, comments and structs alone', () => {
    const sql = ["SELECT '{a}'", '"{a}"', '$$ {a} $$', '{a: 1}', "{'a': 1}", '{} -- {a}\n/* {a} */'].join(', ')
    expect(fillValues(sql, { a: 1 })).toEqual({ sql })
    expect(fillValues("SELECT {a: {a}, 'b': 2}", { a: 1 })).toEqual({ sql: "SELECT {a:  (1) , 'b': 2}" })
  })

  test('are all there, and have literals', () => {
    expect(fillValues('SELECT {a}', {})).toEqual({ name: 'a', problem: 'is missing' })
    expect(fillValues('SELECT {toString}', {})).toEqual({ name: 'toString', problem: 'is missing' })
    for (const value of [{}, [[1]], [{ b: 1 }], Infinity, [-Infinity]])
      expect(fillValues('SELECT {a}', { a: value })).toMatchObject({
        name: 'a',
        problem: expect.stringContaining('is not'),
      })
  })

  test('are no names in strings with a prefix', () => {
    expect(fillValues("SELECT {E'a'}", { "E'a'": 1 })).toEqual({ sql: "SELECT {E'a'}" })
  })

  test('do not continue the string of the line before', () => {
    expect(fillValues("SELECT E'a'\n{x}", { x: "\\' AS a --" })).toEqual({
      sql: "SELECT E'a'\n ('\\'' AS a --') ",
    })
  })

  test('make no SQL that is much longer than it may be', () => {
    expect(fillUpTo('SELECT {a}, {b}', { a: 1, b: 'x'.repeat(101) }, 100, syntax)).toEqual({
      name: 'b',
      problem: 'is too long',
    })
    expect(fillUpTo('SELECT {b}', { b: ['x'.repeat(60), 'x'.repeat(60)] }, 100, syntax)).toMatchObject({
      problem: 'is too long',
    })
    const filled = fillUpTo(`SELECT ${'{a}, '.repeat(1000)}`, { a: 'x'.repeat(90) }, 100, syntax)
    expect('sql' in filled && filled.sql.length).toBeLessThan(250)
  })

  test('are one token each, whatever they contain', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '"', '{a}', '--', '/*', '*/', '\\', '$', '\n', ';', 'é') })
    fc.assert(
      fc.property(text, (value) => {
        const filled = fillValues("SELECT 'x'{a}'y'", { a: value })
        expect('sql' in filled && [...syntax.readTokens(filled.sql)].map((token) => token.text)).toEqual([
          'SELECT',
          "'x'",
          '(',
          `'${value.replaceAll("'", "''")}'`,
          ')',
          "'y'",
        ])
      }),
    )
  })

  test('are one token each for ClickHouse, too, in which a backslash escapes', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '"', '{a}', '--', '/*', '*/', '\\', '$', '\n', ';', '`', 'é') })
    fc.assert(
      fc.property(text, (value) => {
        const filled = fillValues("SELECT 'x\\''{a}'y'", { a: value }, clickHouse)
        expect('sql' in filled && [...clickHouse.readTokens(filled.sql)].map((token) => token.text)).toEqual([
          'SELECT',
          "'x\\''",
          '(',
          `'${value.replaceAll(/['\\]/g, '\\$&')}'`,
          ')',
          "'y'",
        ])
      }),
    )
  })

  test('leave the strings and comments of ClickHouse alone', () => {
    const sql = ["SELECT '\\'{a}'", '`{a}`', '$x$ {a} $x$', '{a:String}', '# {a}\n1 /* {a} */'].join(', ')
    expect(fillValues(sql, { a: 1 }, clickHouse)).toEqual({ sql })
  })
})
