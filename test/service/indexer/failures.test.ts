import { expect, test } from 'vitest'
import { createFailures, inboxFailure, queryFailure, storeFailure } from '../../../src/service/indexer/failures.ts'
import { sqliteError } from '../support/sqlite.ts'

test('tells the oldest reason that holds, once for each change', () => {
  const told: (string | null)[] = []
  const failures = createFailures((reason) => told.push(reason))
  failures.set('store 1', null)
  failures.set('store 1', 'one is damaged')
  failures.set('store 1', 'one is damaged')
  failures.set('store 2', 'two is damaged')
  expect([failures.has('store 1'), failures.has('store 2'), failures.has('inbox')]).toEqual([true, true, false])
  failures.set('store 1', null)
  failures.set('store 2', null)
  expect(told).toEqual(['one is damaged', 'two is damaged', null])
})

const store = (error: unknown): string => storeFailure(7, '/data/events/7.duckdb', '/data/metadata.sqlite', error)

test.each([
  ['No space left on device', /project 7 .*go in by themselves once the disk has room/],
  ['Corrupt database file: computed checksum 1 does not match', /Stop the service first: move it away/],
  ['Failure while replaying WAL file', /move \S+7\.duckdb\.wal and \S+7\.duckdb\.uuids away, which loses/],
  ['something else', /^The store of project 7 does not take events: something else$/],
])('says the way out where it is known: %s', (message, expected) => {
  expect(store(new Error(message))).toMatch(expected)
})

test('finds damage of a store in what caused the error', () => {
  const cause = new Error('Corrupt database file')
  expect(store(new Error('The commit failed.', { cause }))).toMatch(/store file \S+ of project 7 is damaged/)
})

test('tells a damaged metadata file from a damaged store, and one that cannot be read for now from both', () => {
  expect(store(sqliteError('SQLITE_CORRUPT'))).toMatch(
    /The metadata \/data\/metadata\.sqlite is damaged: stop the service/,
  )
  expect(store(sqliteError('SQLITE_IOERR_READ'))).toMatch(/\/data\/metadata\.sqlite\)\. It is tried again by itself/)
  expect(inboxFailure('/data/inbox.sqlite', sqliteError('SQLITE_CORRUPT'))).toMatch(/damaged; what it holds is kept/)
  expect(inboxFailure('/data/inbox.sqlite', sqliteError('SQLITE_IOERR_READ'))).toMatch(/It is tried again by itself/)
})

test('does not take a query that was written wrongly for damage', () => {
  const failure = (message: string) => queryFailure(7, '/data/events/7.duckdb', new Error(message))
  expect(failure('Parser Error: syntax error at or near "selec"')).toBeNull()
  expect(failure('IO Error: Corrupt database file')).toMatch(/The store file \S+ of project 7 is damaged/)
})
