import { QueryError } from '../../../../indexer/query-error.ts'

/** DuckDB's messages begin with the kind of the error. */
export const toQueryError = (error: unknown): QueryError => {
  if (error instanceof QueryError) return error
  const message = (error instanceof Error ? error.message : String(error)).replace('Failed to extract statements: ', '')
  const kind = /^([A-Za-z -]+?) Error: /.exec(message)?.[1]
  switch (kind) {
    case 'Parser':
      return new QueryError('syntax', message, { cause: error })
    case 'Binder':
      return new QueryError('invalid', withPathHint(message), { cause: error })
    case 'Catalog':
    case 'Conversion':
    case 'Invalid Input':
    case 'Out of Range':
    case 'Mismatch Type':
    case 'Not implemented':
    case 'Serialization':
      return new QueryError('invalid', message, { cause: error })
    case 'Permission':
      return new QueryError('forbidden', 'A query may read nothing outside its project.', { cause: error })
    case 'Out of Memory':
      return new QueryError('memory', 'The query needs more memory than a query may have.', { cause: error })
    case 'INTERRUPT':
      return new QueryError('store_unavailable', 'The query was interrupted because the store is closing.', {
        cause: error,
      })
    default:
      // The message may contain file paths, so it is not shown.
      return new QueryError('store_unavailable', 'The event store could not run the query.', { cause: error })
  }
}

/** DuckDB reads a path that begins with `$` as a JSONPath, unless `createPathRepairs` can repair it. */
const withPathHint = (message: string): string =>
  message.includes('JSON path error') ? `${message} Write the property $name as '$."$name"'.` : message
