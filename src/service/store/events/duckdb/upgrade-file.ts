import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { HOT_PROPERTIES, quoteIdentifier } from './hot-properties.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { STORAGE_VERSION } from './open-instance.ts'
import { SCHEMA } from './schema.ts'

/** Whether an open file has the tables of Waymark 0.1: events as `internal.event`, in DuckDB's storage version 1.0. */
export const needsUpgrade = async (connection: DuckDBConnection): Promise<boolean> =>
  (await listColumns(connection, 'internal', 'event')).size > 0

/**
 * Copies a file of Waymark 0.1 into one with today's tables and replaces it. DuckDB cannot change the storage version of a
 * file, and the old one has no zstd.
 *
 * The new file gets its name only when it is complete: a killed upgrade leaves the old file and starts again at the next open. Needs
 * as much free disk space as the events take. No instance may have the file open.
 */
export const upgradeFile = async (file: string, limits: DuckDbLimits): Promise<void> => {
  const newFile = `${file}.new`
  const removeCopy = (): void => {
    for (const path of [newFile, `${newFile}.wal`]) rmSync(path, { force: true })
  }
  removeCopy()
  try {
    await copyFile(file, newFile, limits)
  } catch (error) {
    // The copy may have filled the disk.
    removeCopy()
    throw error
  }
  renameSync(newFile, file)
}

const copyFile = async (file: string, newFile: string, { memoryMb, threads }: DuckDbLimits): Promise<void> => {
  const instance = await DuckDBInstance.create(file, {
    memory_limit: `${Math.max(memoryMb, MIN_MEMORY_MB)}MB`,
    threads: String(threads),
    temp_directory: `${file}.spill`,
  })
  try {
    const connection = await instance.connect()
    try {
      // Moves the rows of the write-ahead log into the file, so that no log is left when the new file takes its name.
      await connection.run('CHECKPOINT')
      await connection.run(`ATTACH ${quoteString(newFile)} AS upgraded (STORAGE_VERSION '${STORAGE_VERSION}')`)
      await copyTables(connection)
      await connection.run('CHECKPOINT upgraded')
      await connection.run('DETACH upgraded')
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
  for (const path of [file, newFile]) {
    if (existsSync(`${path}.wal`))
      throw new Error(`${path}.wal was not written into ${path}: the file is not replaced.`)
  }
}

const copyTables = async (connection: DuckDBConnection): Promise<void> => {
  const [[oldCatalog] = []] = (await connection.runAndReadAll('SELECT current_database()')).getRows()
  const old = quoteIdentifier(String(oldCatalog))
  await connection.run('USE upgraded')
  for (const statement of SCHEMA) await connection.run(statement)
  await connection.run('DELETE FROM upgraded.internal.progress')
  for (const table of TABLES) {
    const [schema, name] = table.split('.') as [string, string]
    const columns = await listColumns(connection, schema, name, String(oldCatalog))
    if (columns.size > 0) await connection.run(`INSERT INTO upgraded.${table} BY NAME FROM ${old}.${table}`)
  }
  const columns = await listColumns(connection, 'internal', 'event', String(oldCatalog))
  // The first versions had fewer columns.
  const missing = [
    ...(columns.has('historical') ? [] : ['false AS historical']),
    ...HOT_PROPERTIES.filter((name) => !columns.has(name)).map(
      (name) => `json_extract_string(properties, '$."${name}"') AS ${quoteIdentifier(name)}`,
    ),
  ]
  // A commit keeps its rows in memory.
  for (const [first, last] of await listRanges(connection, `${old}.internal.event`)) {
    await connection.run(
      `INSERT INTO upgraded.internal.events BY NAME
        SELECT ${['*', ...missing].join(', ')} FROM ${old}.internal.event WHERE rowid BETWEEN ${first} AND ${last}`,
    )
  }
  await connection.run(`USE ${old}`)
}

/** Memory limit of a copy, at least: DuckDB reads 2,048 rows at once, and events can be large. */
const MIN_MEMORY_MB = 1024

/** Maximum size of the events that one statement copies, as JSON in bytes; a range of the smallest size may exceed it. */
const MAX_RANGE_BYTES = 32 * 1024 * 1024

/** Rows of the smallest range. */
const RANGE_ROWS = 32

/** Ranges of row ids, first and last, in order. */
const listRanges = async (connection: DuckDBConnection, table: string): Promise<(readonly [number, number])[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT rowid // ${RANGE_ROWS}, sum(strlen(properties)) FROM ${table} GROUP BY 1 ORDER BY 1`,
  )
  const ranges: (readonly [number, number])[] = []
  let first: number | null = null
  let last = 0
  let bytes = 0
  for (const [range, rangeBytes] of reader.getRows().map((row) => row.map(Number) as [number, number])) {
    if (first !== null && bytes + rangeBytes > MAX_RANGE_BYTES) {
      ranges.push([first, last])
      first = null
      bytes = 0
    }
    first ??= range * RANGE_ROWS
    last = (range + 1) * RANGE_ROWS - 1
    bytes += rangeBytes
  }
  return first === null ? ranges : [...ranges, [first, last]]
}

/** The tables that have the same columns in both files, or fewer in the old one. */
const TABLES = ['internal.progress', 'internal.rejected', 'internal.distinct_id', 'main.persons', 'main.groups']

const listColumns = async (
  connection: DuckDBConnection,
  schema: string,
  table: string,
  catalog?: string,
): Promise<ReadonlySet<string>> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name FROM duckdb_columns()
      WHERE schema_name = $1 AND table_name = $2 AND database_name = coalesce($3, current_database())`,
    [schema, table, catalog ?? null],
  )
  return new Set(reader.getRows().map(([name]) => String(name)))
}

const quoteString = (text: string): string => `'${text.replaceAll("'", "''")}'`
