import { describe, expect, it } from 'vitest'
import { QueryError } from '../../../../../../src/service/indexer/query-error.ts'
import {
  fromThreadError,
  toThreadError,
} from '../../../../../../src/service/store/events/duckdb/thread/thread-error.ts'
import { FailedCommitError, UnstorableError } from '../../../../../../src/service/store/events/event-store.ts'
import { StoreFileError } from '../../../../../../src/service/store/events/store-file-error.ts'
import { createSqliteError } from '../../../../support/sqlite.ts'

describe('an error that crosses threads', () => {
  const engineError = new Error('Constraint Error: not null')
  it.each([
    new UnstorableError('memory', engineError),
    new FailedCommitError(engineError),
    new StoreFileError('1.duckdb.uuids', engineError),
    new QueryError('forbidden', 'The function "x" may not be used.', { cause: engineError }),
    createSqliteError('SQLITE_CORRUPT'),
    new Error('unknown', { cause: engineError }),
  ])('keeps its class, fields and cause: %s', (error) => {
    const copy = fromThreadError(structuredClone(toThreadError(error)))
    expect(copy).toBeInstanceOf(error.constructor)
    const fieldsOf = (from: Error) =>
      ['message', 'cause', 'reason', 'file', 'code'].map((field) => Reflect.get(from, field))
    expect(fieldsOf(copy)).toEqual(fieldsOf(error))
  })

  it('becomes an error if it was none', () => {
    expect(fromThreadError(toThreadError('a text'))).toEqual(new Error('a text'))
  })
})
