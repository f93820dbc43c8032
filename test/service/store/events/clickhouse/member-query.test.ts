import { expect, it } from 'vitest'
import { checkSelect } from '../../../../../src/service/store/events/clickhouse/member-query.ts'

it.each([
  'SELECT 1',
  '  -- a comment; of two\n WITH 1 AS x SELECT x;',
  '/* SELECT */ (SELECT 1) ; ; -- the end',
  `SELECT ';', "a;b", \`c;d\`, 'it\\'s; fine' FROM events`,
])('accepts the SELECT %j', (sql) => {
  expect(() => checkSelect(sql)).not.toThrow()
})

it.each([
  '',
  '-- nothing',
  'DROP TABLE events',
  'SELECT 1; DROP TABLE events',
  "SELECT 'a\\\\'; SELECT 2",
  'SELECTED',
  'SYSTEM SHUTDOWN',
])('refuses %j', (sql) => {
  expect(() => checkSelect(sql)).toThrow('The query must be one SELECT.')
})
