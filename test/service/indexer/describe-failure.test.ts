import { expect, test } from 'vitest'
import {
  describeInboxFailure,
  describeQueryFailure,
  describeStoreFailure,
} from '../../../src/service/indexer/describe-failure.ts'
import { createSqliteError } from '../support/sqlite.ts'

const store = (error: unknown): string =>
  describeStoreFailure(7, '/data/events/7.duckdb', '/data/metadata.sqlite', error)

test.each([
  ['No space left on device', /project 7 .*stored automatically once the disk has free space/],
  ['Corrupt database file: computed checksum 1 does not match', /Stop the service first: move it away/],
  ['Failure while replaying WAL file', /move \S+7\.duckdb\.wal and \S+7\.duckdb\.uuids away, which loses/],
  ['something else', /^The store of project 7 cannot store events: something else$/],
])('names the remedy where one is known: %s', (message, expected) => {
  expect(store(new Error(message))).toMatch(expected)
})

test('recognizes damage of a store in the cause of an error', () => {
  const cause = new Error('Corrupt database file')
  expect(store(new Error('The commit failed.', { cause }))).toMatch(/store file \S+ of project 7 is damaged/)
})

test('distinguishes damaged metadata, a damaged store, and a temporary read error', () => {
  expect(store(createSqliteError('SQLITE_CORRUPT'))).toMatch(
    /The metadata \/data\/metadata\.sqlite is damaged: stop the service/,
  )
  expect(store(createSqliteError('SQLITE_IOERR_READ'))).toMatch(
    /\/data\/metadata\.sqlite\)\. The service retries automatically/,
  )
  expect(describeInboxFailure('/data/inbox.sqlite', createSqliteError('SQLITE_CORRUPT'))).toMatch(
    /damaged; its rows are kept/,
  )
  expect(describeInboxFailure('/data/inbox.sqlite', createSqliteError('SQLITE_IOERR_READ'))).toMatch(
    /The service retries automatically/,
  )
})

test('does not report an invalid query as damage', () => {
  const failure = (message: string) => describeQueryFailure(7, '/data/events/7.duckdb', new Error(message))
  expect(failure('Parser Error: syntax error at or near "selec"')).toBeNull()
  expect(failure('IO Error: Corrupt database file')).toMatch(/The store file \S+ of project 7 is damaged/)
})
