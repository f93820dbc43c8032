import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api'
import { StatementType } from '@duckdb/node-api'
import type { JsonObject } from '../../../../../wire/json.ts'
import { findClosestName } from '../../../../closest-name.ts'
import { MAX_SQL_BYTES } from '../../../../indexer/indexer.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { selectEventCounts } from '../event-table/event-counts.ts'
import { readFrequentShapes } from '../event-table/frequent-shapes.ts'
import type { PropertyColumns } from '../event-table/property-column.ts'
import { readPropertyColumns } from '../event-table/property-column.ts'
import { createBoundMacros } from './bound-values.ts'
import { checkComplexity, checkText } from './check-complexity.ts'
import { readColumnUse } from './column-use.ts'
import { createDateTruncMacros, DATE_TRUNC_NAMES } from './fast-date-trunc.ts'
import { listAllowedFunctions } from './allowed-functions.ts'
import type { OpenPivot } from './expand-pivot.ts'
import { findWrittenOffset, parseOpenPivot } from './expand-pivot.ts'
import type { RefusedName } from './find-refused-name.ts'
import { findRefusedName } from './find-refused-name.ts'
import { containsLazyForm, lazyFormOf } from './lazy-column.ts'
import { createJsonView, createPropertyMacros, createQueryViews } from './query-views.ts'
import { repairPaths } from './repair-paths.ts'
import { hasUnicodeSpaces } from './replace-unicode-spaces.ts'
import { rewriteArrows } from './rewrite-arrows.ts'
import { rewriteToCounts } from './rewrite-to-counts.ts'
import { toPlainSql } from './to-plain-sql.ts'
import { positionOf, writePlace } from './sql-position.ts'
import { nodeOf } from './syntax-tree.ts'
import { beginRead } from '../transaction.ts'

/** A SELECT that is ready to run. */
export interface PreparedSelect {
  readonly statement: DuckDBPreparedStatement
  /** Whether it reads counts: an error then shows the SQL as it was rewritten. Default: false. */
  readonly readsCounts?: boolean
  /** The columns of properties that it was prepared with, if its result may have values that are read afterwards (`resolveLazyValues`). */
  readonly propertyColumns?: PropertyColumns
  /** The names of the result's columns. */
  readonly columns: readonly string[]
}

/** What a SELECT of this service has beside its text; that of a member has nothing. */
export interface SelectOptions {
  /** Strings by the names of the parameters in its place: `$name::VARCHAR`. Their length does not count. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Default: `MAX_SQL_BYTES`. */
  readonly maxSqlBytes?: number
  /** Whether it may read the numbers of persons (`PERSON_NUMBER_COLUMN`). */
  readonly hasPersonNumbers?: boolean
  /** Whether it reads the tables of the schema `internal`, and is neither checked nor rewritten. Default: false. */
  readonly isInternal?: boolean
  /** How many events are counted (`selectEventCounts`). Default: it uses no counts. */
  readonly countedRows?: number
}

/** Maximum number of columns that PIVOT makes of the values of an expression. */
const MAX_PIVOT_VALUES = 1_000

/** Maximum number of expressions of a PIVOT whose values are not named: each is a query before the query. */
const MAX_PIVOT_EXPRESSIONS = 16

/** Checks a SELECT, or a PIVOT, and prepares it in a transaction that is left open. */
export const prepareSelect = async (
  connection: DuckDBConnection,
  sql: string,
  options: SelectOptions = {},
): Promise<PreparedSelect> => {
  checkLength(sql, options)
  if (options.isInternal === true) return prepareInternal(connection, sql, options)
  const plain = toPlainSql(sql)
  const pivot = parseOpenPivot(plain, MAX_PIVOT_VALUES)
  return pivot === null ? prepareOne(connection, plain, options) : preparePivot(connection, plain, pivot)
}

const prepareInternal = async (
  connection: DuckDBConnection,
  sql: string,
  options: SelectOptions,
): Promise<PreparedSelect> => {
  await beginRead(connection)
  const statement = await connection.prepare(sql)
  bindParameters(statement, options)
  return { statement, columns: listColumns(statement) }
}

const preparePivot = async (connection: DuckDBConnection, sql: string, pivot: OpenPivot): Promise<PreparedSelect> => {
  if (pivot.valueSelects.length > MAX_PIVOT_EXPRESSIONS)
    throw new QueryError('invalid', `PIVOT has more than ${MAX_PIVOT_EXPRESSIONS} expressions without values: IN (…).`)
  // A mistake in it is found first, where its place in the SQL as it is written can be told.
  checkText(sql)
  await connection.extractStatements(sql)
  await prepareOne(connection, pivot.expand(pivot.valueSelects.map(() => ['…'])), {}, sql)
  await connection.run('ROLLBACK')
  return prepareOne(connection, await expandPivot(connection, pivot), {}, sql)
}

/** Names the values of a PIVOT, so that it is one SELECT. */
const expandPivot = async (connection: DuckDBConnection, pivot: OpenPivot): Promise<string> => {
  const values: string[][] = []
  for (const select of pivot.valueSelects) {
    const { statement } = await prepareOne(connection, select, {})
    const rows = (await statement.runAndReadAll()).getRows()
    await connection.run('ROLLBACK')
    if (rows.length === 0) throw new QueryError('invalid', 'PIVOT has no columns: its expression has no values.')
    if (rows.length > MAX_PIVOT_VALUES)
      throw new QueryError(
        'invalid',
        `PIVOT has more than ${MAX_PIVOT_VALUES} values; name those that you need with IN (…).`,
      )
    values.push(rows.map(([value]) => String(value)))
  }
  return pivot.expand(values)
}

/** @param written The SQL as the client wrote it, for places in errors. */
const prepareOne = async (
  connection: DuckDBConnection,
  text: string,
  options: SelectOptions,
  written = text,
): Promise<PreparedSelect> => {
  const sql = toPlainSql(text)
  checkLength(sql, options)
  // Before DuckDB parses it.
  checkText(sql)
  await checkIsOneStatement(connection, sql)
  const select = await checkSelect(connection, sql, written)
  const { hasPersonNumbers = false } = options
  const prepared =
    (await prepareOnCounts(connection, select, options)) ??
    (await prepareWithoutArrows(connection, select, hasPersonNumbers)) ??
    (await prepareOnJson(connection, select, hasPersonNumbers))
  const { statement } = prepared
  if (statement.statementType !== StatementType.SELECT) throw new QueryError('not_select', 'Only SELECT can be run.')
  bindParameters(statement, options)
  return prepared
}

const bindParameters = (statement: DuckDBPreparedStatement, { parameters = {} }: SelectOptions): void => {
  const entries = Object.entries(parameters)
  if (statement.parameterCount > entries.length)
    throw new QueryError('invalid', 'The query has parameters. A name with a dollar sign is written in double quotes.')
  for (const [name, value] of entries) statement.bindVarchar(statement.parameterIndex(name), value)
}

/** A SELECT that was checked in this form. Only such SQL is prepared. */
interface CheckedSelect {
  readonly sql: string
  readonly tree: JsonObject
  /** The statements that create macros for it (`createBoundMacros`). */
  readonly bounds: readonly string[]
}

/** Checks the syntax tree, before DuckDB looks up any name. The statement type is DuckDB's own check. */
const checkSelect = async (connection: DuckDBConnection, sql: string, written: string): Promise<CheckedSelect> => {
  const tree = await parseSelect(connection, sql)
  checkComplexity(tree)
  const refusedName = findRefusedName(tree)
  if (refusedName !== null) throw createRefusal(refusedName, sql, written)
  return { sql, tree, bounds: createBoundMacros(tree) }
}

/**
 * Checks rewritten SQL like SQL of a member: a replacement at a wrong place would make something else of it. Null if it is refused; the
 * SQL is then used as it is written.
 */
const checkRewritten = async (connection: DuckDBConnection, sql: string): Promise<CheckedSelect | null> => {
  if (hasUnicodeSpaces(sql)) return null
  try {
    checkText(sql)
    const select = await checkSelect(connection, sql, sql)
    return nodeOf(select.tree) === null ? null : select
  } catch {
    return null
  }
}

/** The syntax tree of a SELECT. */
const parseSelect = async (connection: DuckDBConnection, sql: string): Promise<JsonObject> => {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const tree = parseTree(String(reader.getRows()[0]?.[0]), sql)
  if (tree['error'] !== true) return tree
  throw new QueryError('not_select', 'Only SELECT can be run.', { cause: tree['error_message'] })
}

const parseTree = (json: string, sql: string): JsonObject => {
  try {
    return JSON.parse(json) as JsonObject
  } catch (cause) {
    // DuckDB writes a number beyond the range of DOUBLE as `Infinity`, which is no JSON. The node has its offset before it.
    const before = json.slice(0, Math.max(0, json.search(/"value":-?inf/i)))
    const offset = /^"query_location":(\d+)/.exec(before.slice(before.lastIndexOf('"query_location":')))?.[1]
    const place = offset === undefined ? '' : writePlace(positionOf(sql, Number(offset)))
    throw new QueryError('invalid', `The query has a number that is too large${place}; the largest is about 1.8e308.`, {
      cause,
    })
  }
}

const createRefusal = ({ description, kind, name, offset }: RefusedName, sql: string, written: string): QueryError => {
  const writtenOffset = offset === null ? null : findWrittenOffset(written, sql, offset)
  const place = writtenOffset === null ? '' : writePlace(positionOf(written, writtenOffset))
  return new QueryError('forbidden', `A query may not use ${description}${place}.${adviceFor(kind, name)}`)
}

const adviceFor = (kind: RefusedName['kind'], name: string): string => {
  if (kind === 'use of a function') return ''
  if (kind === 'other') return ' It can read the tables events, persons, person_distinct_ids and groups.'
  const closest = findClosestName(name, listAllowedFunctions())
  return closest === null ? '' : ` Did you mean "${closest}"?`
}

const checkLength = (sql: string, { maxSqlBytes = MAX_SQL_BYTES }: SelectOptions): void => {
  if (Buffer.byteLength(sql) > maxSqlBytes)
    throw new QueryError('invalid', `The query is longer than ${maxSqlBytes} bytes.`)
}

const checkIsOneStatement = async (connection: DuckDBConnection, sql: string): Promise<void> => {
  const statements = await connection.extractStatements(sql).catch((error: Error) => {
    // DuckDB tells what is wrong with SQL, and throws an unspecific error for SQL without a statement.
    if (error.message.includes('Failed to extract statements')) throw error
    throw new QueryError('not_select', 'The query is empty.', { cause: error })
  })
  if (statements.count !== 1) {
    throw new QueryError(
      'not_select',
      `A query is exactly one SELECT; this is ${statements.count} statements. PIVOT inside another statement needs its values: IN (…).`,
    )
  }
}

/** Prepares a SELECT that asks how many events there are (`rewriteToCounts`); null, without a transaction, for any other. */
const prepareOnCounts = async (
  connection: DuckDBConnection,
  { sql, tree }: CheckedSelect,
  { countedRows }: SelectOptions,
): Promise<PreparedSelect | null> => {
  const rewritten = countedRows === undefined ? null : rewriteToCounts(sql, tree)
  const select = rewritten && (await checkRewritten(connection, rewritten.sql))
  if (rewritten === null || select === null) return null
  await beginRead(connection)
  try {
    await runTogether(connection, [
      ...createDateTruncMacros(DATE_TRUNC_NAMES),
      `CREATE OR REPLACE TEMP VIEW events AS ${selectEventCounts(countedRows!)}`,
      ...select.bounds,
    ])
    const statement = await connection.prepare(select.sql)
    return { statement, columns: listColumns(statement).map(rewritten.restoreName), readsCounts: true }
  } catch {
    // The SQL as it is written shows what is at fault.
    await connection.run('ROLLBACK')
    return null
  }
}

/** Prepares as `prepareOnViews` does, with calls in the place of arrows. */
const prepareWithoutArrows = async (
  connection: DuckDBConnection,
  select: CheckedSelect,
  hasPersonNumbers: boolean,
): Promise<PreparedSelect | null> => {
  const rewritten = rewriteArrows(select.sql, select.tree)
  const withoutArrows = rewritten && (await checkRewritten(connection, rewritten.sql))
  if (rewritten === null || withoutArrows === null) return prepareOnViews(connection, select, hasPersonNumbers)
  const prepared = await prepareOnViews(connection, withoutArrows, hasPersonNumbers)
  return prepared && { ...prepared, columns: prepared.columns.map(rewritten.restoreName) }
}

/** Prepares a SELECT that needs the properties of all events as JSON. */
const prepareOnJson = async (
  connection: DuckDBConnection,
  select: CheckedSelect,
  hasPersonNumbers: boolean,
): Promise<PreparedSelect> => {
  const prepare = async ({ sql, bounds }: CheckedSelect): Promise<DuckDBPreparedStatement> => {
    await beginRead(connection)
    const columns = await readPropertyColumns(connection)
    const shapes = await readFrequentShapes(connection)
    await runTogether(connection, [createJsonView(columns, shapes, { hasPersonNumber: hasPersonNumbers }), ...bounds])
    return connection.prepare(sql)
  }
  const repaired = repairPaths(select.sql, select.tree)
  const withPaths = repaired && (await checkRewritten(connection, repaired.sql))
  if (repaired !== null && withPaths !== null) {
    try {
      const statement = await prepare(withPaths)
      return { statement, columns: listColumns(statement).map(repaired.restoreName) }
    } catch {
      // As it is written, it shows what is at fault.
      await connection.run('ROLLBACK')
    }
  }
  const statement = await prepare(select)
  return { statement, columns: listColumns(statement) }
}

/** Prepares a SELECT with views of its own (`createQueryViews`); null, without a transaction, if these do not fit. */
const prepareOnViews = async (
  connection: DuckDBConnection,
  { sql, tree, bounds }: CheckedSelect,
  hasPersonNumbers: boolean,
): Promise<PreparedSelect | null> => {
  const use = readColumnUse(tree)
  if (use === null) return null
  await beginRead(connection)
  const hasPersonNumber = hasPersonNumbers && use.usesPersonNumbers
  // Read in the same transaction as the rows: a column may be added or filled meanwhile.
  const columns = await readPropertyColumns(connection)
  const macros = [...createPropertyMacros(use), ...createDateTruncMacros(use.functions), ...bounds]
  const prepare = async (hasJson: boolean): Promise<PreparedOnViews | null> => {
    const views = createQueryViews(use, columns, { hasJson, hasPersonNumber })
    if (views === null) return null
    await runTogether(connection, [...macros, ...views])
    const statement = await connection.prepare(sql)
    const types = listTypes(statement)
    const forms = types.map(lazyFormOf)
    if (types.some((type, index) => forms[index] === null && containsLazyForm(type))) return null
    return { statement, needsJson: !hasJson && forms.includes('json') }
  }
  try {
    const first = await prepare(false)
    const prepared = first?.needsJson === true ? await prepare(true) : first
    if (prepared !== null)
      return { statement: prepared.statement, columns: listColumns(prepared.statement), propertyColumns: columns }
  } catch {
    // DuckDB could not bind the SQL to these views. If the SQL is at fault, it fails again with JSON.
  }
  await connection.run('ROLLBACK')
  return null
}

/** In one call: each is a task of another thread, whose answer this one waits for. */
const runTogether = async (connection: DuckDBConnection, statements: readonly string[]): Promise<void> => {
  if (statements.length > 0) await connection.run(statements.join(';\n'))
}

interface PreparedOnViews {
  readonly statement: DuckDBPreparedStatement
  /** Whether the result has a column with all properties of persons or groups, which these views leave out. */
  readonly needsJson: boolean
}

const listTypes = (statement: DuckDBPreparedStatement): DuckDBType[] =>
  Array.from({ length: statement.columnCount }, (_, index) => statement.columnType(index))

const listColumns = (statement: DuckDBPreparedStatement): string[] =>
  Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index))
