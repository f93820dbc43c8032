import { expect, test } from 'vitest'
import {
  describeInboxFailure,
  describeQueryFailure,
  describeStoreFailure,
} from '../../../src/service/indexer/describe-failure.ts'
import { StoreServerError } from '../../../src/service/store/events/store-server-error.ts'
import { createSqliteError } from '../support/sqlite.ts'

const describe = (error: unknown): string =>
  describeStoreFailure(7, '/data/events/7.duckdb', '/data/metadata.sqlite', error)

test.each([
  ['No space left on device', /project 7 .*stored automatically once the disk has free space/],
  ['Corrupt database file: computed checksum 1 does not match', /Stop the service, then move the file away/],
  ['Failure while replaying WAL file', /move \S+7\.duckdb\.wal and \S+7\.duckdb\.uuids away, which loses/],
  // No remedy is known for other errors.
  ['something else', /^Events of project 7 cannot be stored: something else$/],
])('describes the error %j and its remedy', (message, expected) => {
  expect(describe(new Error(message))).toMatch(expected)
})

test('names the server that cannot store events, and no file', () => {
  const error = new StoreServerError('ClickHouse at db:8123 refuses: Checksum of a part does not match: it is corrupt.')
  expect(describe(error)).toBe(
    'Events of project 7 cannot be stored: ClickHouse at db:8123 refuses: Checksum of a part does not match: it is corrupt. ' +
      'Events wait in the inbox; they are stored automatically once the server takes them.',
  )
})

test('recognizes a damaged store by the cause of an error', () => {
  const cause = new Error('Corrupt database file')
  expect(describe(new Error('The commit failed.', { cause }))).toMatch(/store file \S+ of project 7 is damaged/)
})

test('distinguishes damaged metadata, a damaged store, and a temporary read error', () => {
  expect(describe(createSqliteError('SQLITE_CORRUPT'))).toMatch(
    /The metadata \/data\/metadata\.sqlite is damaged: stop the service/,
  )
  expect(describe(createSqliteError('SQLITE_IOERR_READ'))).toMatch(
    /\/data\/metadata\.sqlite\)\. The service retries automatically/,
  )
  expect(describeInboxFailure('/data/inbox.sqlite', createSqliteError('SQLITE_CORRUPT'))).toMatch(
    /damaged; the rows in it are not deleted/,
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
