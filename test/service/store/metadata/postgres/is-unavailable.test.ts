import { expect, test } from 'vitest'
import { isConflict, isPostgresUnavailable } from '../../../../../src/service/store/metadata/postgres/is-unavailable.ts'

const withCode = (code: string): Error => Object.assign(new Error('x'), { code })

test.each(['ECONNREFUSED', '08006', '53300', '57P01', '40P01', '25006', '25P03'])('%s is worth a retry', (code) => {
  expect(isPostgresUnavailable(new Error('while reading', { cause: withCode(code) }))).toBe(true)
})

test.each(['42P01', '23505', 'ENOENT', 'SQLITE_BUSY'])('%s is not', (code) => {
  expect(isPostgresUnavailable(withCode(code))).toBe(false)
})

test('a timeout of the client is worth a retry', () => {
  expect(isPostgresUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true)
  expect(isPostgresUnavailable('Query read timeout')).toBe(false)
})

test.each([
  ['40001', true],
  ['40P01', true],
  ['53300', false],
])('%s says that another transaction was in the way: %s', (code, expected) => {
  expect(isConflict(withCode(code))).toBe(expected)
})
