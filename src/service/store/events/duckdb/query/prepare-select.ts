import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api'
import { StatementType } from '@duckdb/node-api'
import type { JsonObject } from '../../../../../wire/json.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { readFrequentShapes } from '../event-table/frequent-shapes.ts'
import { readPropertyColumns } from '../event-table/property-column.ts'
import { readColumnUse } from './column-use.ts'
import { createDateTruncMacros } from './fast-date-trunc.ts'
import { findForbiddenName } from './find-forbidden-name.ts'
import { containsLazyColumn, lazyColumnOf } from './lazy-column.ts'
import { createJsonView, createPropertyMacros, createQueryViews } from './query-views.ts'
import { createPathRepairs } from './repair-paths.ts'

/** Maximum size of the SQL (64 KiB): planning time grows faster than the SQL, and planning cannot be interrupted. */
const MAX_SQL_BYTES = 64 * 1024

/** Checks a SELECT and prepares it in a transaction that is left open. */
export const prepareSelect = async (connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> => {
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
  const statement = (await prepareOnViews(connection, sql, tree)) ?? (await prepareOnJson(connection, sql, tree))
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

/** Prepares a SELECT that needs the properties of all events as JSON. */
const prepareOnJson = async (
  connection: DuckDBConnection,
  sql: string,
  tree: JsonObject,
): Promise<DuckDBPreparedStatement> => {
  const prepare = async (macros: readonly string[]): Promise<DuckDBPreparedStatement> => {
    await begin(connection)
    const columns = await readPropertyColumns(connection)
    await connection.run(createJsonView(columns, await readFrequentShapes(connection)))
    for (const macro of macros) await connection.run(macro)
    return connection.prepare(sql)
  }
  const repairs = createPathRepairs(tree)
  if (repairs.length > 0) {
    try {
      return await prepare(repairs)
    } catch {
      // As it is written, it shows what is at fault.
      await connection.run('ROLLBACK')
    }
  }
  return prepare([])
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
  const prepare = async (shapes: readonly string[] | null): Promise<PreparedOnViews | null> => {
    const views = createQueryViews(use, columns, shapes)
    if (views === null) return null
    for (const view of views) await connection.run(view)
    const statement = await connection.prepare(sql)
    const types = listTypes(statement)
    const lazyColumns = types.map(lazyColumnOf)
    if (types.some((type, index) => lazyColumns[index] === null && containsLazyColumn(type))) return null
    return { statement, hasProperties: lazyColumns.includes('properties') }
  }
  try {
    for (const macro of [...createPropertyMacros(use), ...createDateTruncMacros(use.functions)])
      await connection.run(macro)
    const first = await prepare(null)
    const prepared = first?.hasProperties === true ? await prepare(await readFrequentShapes(connection)) : first
    if (prepared !== null) return prepared.statement
  } catch {
    // DuckDB could not bind the SQL to these views. If the SQL is at fault, it fails again with JSON.
  }
  await connection.run('ROLLBACK')
  return null
}

interface PreparedOnViews {
  readonly statement: DuckDBPreparedStatement
  /** Whether the result has a column with all properties. */
  readonly hasProperties: boolean
}

const listTypes = (statement: DuckDBPreparedStatement): DuckDBType[] =>
  Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index))
