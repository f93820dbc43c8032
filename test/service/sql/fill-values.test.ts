import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillValues } from '../../../src/service/sql/fill-values.ts'
import { readTokens } from '../../../src/service/store/events/duckdb/query/sql-tokens.ts'

describe('the values of SQL', () => {
  test('stand where their names are', () => {
    const values = { name: "it's", count: -1.5, isNew: true, none: null, list: ['a', 'b'] }
    const sql = 'SELECT {name}, 1-{count}, { isNew }, {none} WHERE a IN {list} AND b = {name}'
    expect(fillValues(sql, values)).toEqual({
      sql: "SELECT  'it''s' , 1- -1.5 ,  true ,  null  WHERE a IN  ['a', 'b']  AND b =  'it''s' ",
    })
  })

  test('leave strings, comments and structs alone', () => {
    const sql = ["SELECT '{a}'", '"{a}"', '$$ {a} $$', '{a: 1}', "{'a': 1}", '{} -- {a}\n/* {a} */'].join(', ')
    expect(fillValues(sql, { a: 1 })).toEqual({ sql })
    expect(fillValues("SELECT {a: {a}, 'b': 2}", { a: 1 })).toEqual({ sql: "SELECT {a:  1 , 'b': 2}" })
  })

  test('are all there, and have literals', () => {
    expect(fillValues('SELECT {a}', {})).toEqual({ name: 'a', problem: 'is missing' })
    expect(fillValues('SELECT {toString}', {})).toEqual({ name: 'toString', problem: 'is missing' })
    for (const value of [{}, [[1]], [{ b: 1 }]])
      expect(fillValues('SELECT {a}', { a: value })).toMatchObject({
        name: 'a',
        problem: expect.stringContaining('is not'),
      })
  })

  test('are one token each, whatever they contain', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '"', '{a}', '--', '/*', '*/', '\\', '$', '\n', ';', 'é') })
    fc.assert(
      fc.property(text, (value) => {
        const filled = fillValues("SELECT 'x'{a}'y'", { a: value })
        expect('sql' in filled && [...readTokens(filled.sql)].map((token) => token.text)).toEqual([
          'SELECT',
          "'x'",
          `'${value.replaceAll("'", "''")}'`,
          "'y'",
        ])
      }),
    )
  })
})
