import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api'
import { StatementType } from '@duckdb/node-api'
import type { QueryRequest, QueryResult } from '../../../../indexer/indexer.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import type { JsonObject } from '../../../../../wire/json.ts'
import { readPropertyColumns } from '../event-table/property-column.ts'
import { readRowLists } from '../stream-rows.ts'
import { readColumnUse } from './column-use.ts'
import { findForbiddenName } from './find-forbidden-name.ts'
import { containsLazyColumn, lazyColumnOf, readLazyValue, resolveIds, typeOfLazy } from './lazy-column.ts'
import { createPropertyMacros, createQueryViews } from './query-views.ts'
import { createPathRepairs } from './repair-paths.ts'
import { toJsonValue } from './to-json-value.ts'

/** Maximum size of a result as JSON (32 MiB), so that one query cannot use up the memory of the process. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024

/** Maximum size of the SQL (64 KiB): planning time grows faster than the SQL, and planning cannot be interrupted. */
const MAX_SQL_BYTES = 64 * 1024

/** Interval at which a query's deadline is checked. */
const INTERRUPT_MS = 50

/**
 * Runs one SELECT. Rejects with `QueryError`: `timeout` after `timeoutMs`, `store_unavailable` after an earlier
 * `connection.interrupt()`.
 *
 * @param connection Nothing else may use it meanwhile.
 */
export const runQuery = async (
  connection: DuckDBConnection,
  { sql, timeoutMs, maxRows }: Omit<QueryRequest, 'projectId'>,
): Promise<QueryResult> => {
  const deadline = performance.now() + timeoutMs
  const isLate = () => performance.now() >= deadline
  // DuckDB ignores an interrupt between two statements, so it is repeated.
  const timer = setInterval(() => {
    if (isLate()) connection.interrupt()
  }, INTERRUPT_MS)
  try {
    const statement = await prepareSelect(connection, sql)
    return await readRows(connection, statement, { maxRows, isLate })
  } catch (error) {
    const queryError = toQueryError(error)
    throw isLate() && queryError.code === 'store_unavailable' ? createTimeoutError(timeoutMs, error) : queryError
  } finally {
    clearInterval(timer)
    await connection.run('ROLLBACK').catch(() => undefined)
  }
}

/** Checks a SELECT and prepares it in a transaction that is left open. */
const prepareSelect = async (connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> => {
  await checkIsOneStatement(connection, sql)
  // The syntax tree is checked before DuckDB looks up any name. The statement type, below, is DuckDB's own check.
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const tree = JSON.parse(String(reader.getRows()[0]?.[0])) as JsonObject
  if (tree['error'] === true) {
    throw new QueryError('not_select', 'Only SELECT can be run.', { cause: tree['error_message'] })
  }
  const forbiddenName = findForbiddenName(tree)
  if (forbiddenName !== null) {
    throw new QueryError(
      'forbidden',
      `A query may not read ${forbiddenName}. It can read the tables events, persons, person_distinct_ids and groups.`,
    )
  }
  const statement = (await prepareOnViews(connection, sql, tree)) ?? (await prepareAsWritten(connection, sql, tree))
  if (statement.statementType !== StatementType.SELECT) throw new QueryError('not_select', 'Only SELECT can be run.')
  if (statement.parameterCount > 0) {
    throw new QueryError('invalid', 'The query has parameters. A name with a dollar sign is written in double quotes.')
  }
  return statement
}

const checkIsOneStatement = async (connection: DuckDBConnection, sql: string): Promise<void> => {
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES) {
    throw new QueryError('invalid', `The query is longer than ${MAX_SQL_BYTES} bytes.`)
  }
  const statements = await connection.extractStatements(sql).catch((error: Error) => {
    // DuckDB throws a parser error for invalid SQL, and an unspecific one for SQL without a statement.
    if (error.message.includes('Parser Error')) throw error
    throw new QueryError('not_select', 'The query is empty.', { cause: error })
  })
  if (statements.count !== 1) {
    throw new QueryError('not_select', `A query is exactly one SELECT; this is ${statements.count} statements.`)
  }
}

const begin = (connection: DuckDBConnection): Promise<unknown> => connection.run('BEGIN TRANSACTION READ ONLY')

/** Prepares a SELECT with the project's own views. */
const prepareAsWritten = async (
  connection: DuckDBConnection,
  sql: string,
  tree: JsonObject,
): Promise<DuckDBPreparedStatement> => {
  const repairs = createPathRepairs(tree)
  if (repairs.length > 0) {
    await begin(connection)
    try {
      for (const macro of repairs) await connection.run(macro)
      return await connection.prepare(sql)
    } catch {
      // As it is written, it shows what is at fault.
      await connection.run('ROLLBACK')
    }
  }
  await begin(connection)
  return connection.prepare(sql)
}

/** Prepares a SELECT with views of its own (`createQueryViews`); null, without a transaction, if these do not fit. */
const prepareOnViews = async (
  connection: DuckDBConnection,
  sql: string,
  tree: JsonObject,
): Promise<DuckDBPreparedStatement | null> => {
  const use = readColumnUse(tree)
  if (use === null) return null
  await begin(connection)
  // Read in the same transaction as the rows: a column may be added or filled meanwhile.
  const columns = await readPropertyColumns(connection)
  try {
    for (const macro of createPropertyMacros(use)) await connection.run(macro)
    for (const hasProperties of [false, true]) {
      const views = createQueryViews(use, columns, hasProperties)
      if (views === null) break
      for (const view of views) await connection.run(view)
      const statement = await connection.prepare(sql)
      const types = listTypes(statement)
      const lazyColumns = types.map(lazyColumnOf)
      if (types.some((type, index) => lazyColumns[index] === null && containsLazyColumn(type))) break
      if (hasProperties || !lazyColumns.includes('properties')) return statement
    }
  } catch {
    // DuckDB could not bind the SQL to these views. If the SQL is at fault, the views of the project show why.
  }
  await connection.run('ROLLBACK')
  return null
}

const listTypes = (statement: DuckDBPreparedStatement): DuckDBType[] =>
  Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index))

interface ReadLimits {
  readonly maxRows: number
  readonly isLate: () => boolean
}

const readRows = async (
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  { maxRows, isLate }: ReadLimits,
): Promise<QueryResult> => {
  const result = await statement.stream()
  const types = result.columnTypes()
  const lazyColumns = types.map(lazyColumnOf)
  const rows: unknown[][] = []
  let bytes = 0
  let hasMore = false
  for await (const list of readRowLists(result)) {
    if (isLate()) throw new Error('The query has timed out.')
    for (const values of list) {
      if (rows.length === maxRows) {
        hasMore = true
        break
      }
      const row = values.map((value, index) => toJsonValue(readLazyValue(value, lazyColumns[index]!)))
      bytes += JSON.stringify(row).length
      if (bytes > MAX_RESULT_BYTES) {
        throw new QueryError(
          'memory',
          `The result is larger than ${MAX_RESULT_BYTES} bytes. Select fewer rows or columns.`,
        )
      }
      rows.push(row)
    }
    if (hasMore) break
  }
  await resolveIds(connection, rows, lazyColumns)
  return {
    columns: result.columnNames(),
    // JSON is a VARCHAR with an alias.
    types: types.map((type, index) => typeOfLazy(lazyColumns[index]!) ?? type.alias ?? String(type)),
    rows,
    hasMore,
  }
}

const createTimeoutError = (timeoutMs: number, cause: unknown): QueryError =>
  new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`, { cause })

/** DuckDB's messages begin with the kind of the error. */
const toQueryError = (error: unknown): QueryError => {
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
