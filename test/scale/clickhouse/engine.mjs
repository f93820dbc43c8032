import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const { Session } = createRequire(import.meta.url)('chdb')

/** SELECTs and inserts that run at the same time; others wait. */
const MAX_RUNNING = 6

/** A table function in the lines of a syntax tree. */
const TABLE_FUNCTION = /TableExpression[^"]*"\]?\s*\[?"\s*Function (\w+)/g

/** Names of settings, which become SQL. */
const NAME = /^[a-z_0-9]+$/

/**
 * @typedef {object} Statement
 * @property {string} sql
 * @property {Buffer | null} rows Of an INSERT.
 * @property {string} queryId
 * @property {Readonly<Record<string, string>>} parameters
 * @property {Readonly<Record<string, string>>} settings
 * @property {string} database The current one.
 */

/** An INSERT whose rows are apart from it. */
const INSERT = /^\s*INSERT\s+INTO\s+`?(\w+)`?\s*\(([^)]*)\)\s*FORMAT\s+(\w+)\s*$/i

const isSelect = (sql) => /^\s*(SELECT|WITH|EXPLAIN)\b/i.test(sql)

const writeSettings = (settings) => {
  const entries = Object.entries(settings).filter(([name]) => NAME.test(name))
  return entries.length === 0
    ? ''
    : ` SETTINGS ${entries.map(([name, value]) => `${name} = '${value.replaceAll(/['\\]/g, '\\$&')}'`).join(', ')}`
}

/** The cluster of the test server: itself. chDB does not listen on the port, but knows by it that the server is itself. */
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <test_cluster><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></test_cluster>
  </remote_servers>
</clickhouse>
`

/**
 * What a statement does on one server without Keeper, which `ON CLUSTER` and replicated tables need. Distributed tables work.
 *
 * @param {string} sql
 */
export const withoutKeeper = (sql) =>
  sql
    .replace(/ ON CLUSTER `test_cluster`/, '')
    .replace(/ReplicatedReplacingMergeTree\('[^']*', '[^']*'(?:, (\w+))?\)/, 'ReplacingMergeTree($1)')
    .replace(' replicated_deduplication_window', ' non_replicated_deduplication_window')

/** ClickHouse on a folder, in this process. A session runs one statement at a time. */
export const openEngine = (folder) => {
  const config = join(mkdtempSync(join(tmpdir(), 'waymark-clickhouse-config-')), 'config.xml')
  writeFileSync(config, CONFIG)
  const openSession = () => new Session(folder, { connectionArgs: [`--config-file=${config}`] })
  const idle = Array.from({ length: MAX_RUNNING }, openSession)
  const killer = openSession()
  rmSync(dirname(config), { recursive: true })
  /** Those who wait for a session. */
  const waiting = []

  const withSession = async (use) => {
    const session = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)))
    try {
      return await use(session)
    } finally {
      const next = waiting.shift()
      if (next === undefined) idle.push(session)
      else next(session)
    }
  }

  // A comment has the id, because chDB gives each query one of its own.
  const mark = (queryId) => `/*${queryId.replaceAll(/[^\w-]/g, '')}*/`

  /**
   * Not as SQL, which would also read what the process has as its standard input.
   *
   * @param {Statement} statement
   */
  const insert = async (session, { sql, rows, settings, database }) => {
    const [, table, columns, format] = INSERT.exec(sql) ?? []
    if (table === undefined) throw new Error(`The test server does not know this kind of INSERT: ${sql}`)
    await session.insert({
      table: `${database}.${table}`,
      columns: columns.split(',').map((column) => column.trim().replaceAll('`', '')),
      values: rows,
      format,
      settings,
    })
    return { bytes: () => new Uint8Array() }
  }

  /** @param {Statement} statement */
  const select = async (session, { sql, queryId, parameters, settings, database }) => {
    await session.queryAsync(`USE ${database}`)
    const written = `${mark(queryId)} ${sql}${isSelect(sql) ? writeSettings(settings) : ''}`
    return Object.keys(parameters).length === 0
      ? session.queryAsync(written)
      : session.queryBindAsync(written, parameters)
  }

  /** Finds running statements by their marks instead of their ids. */
  const withMarks = (sql) =>
    sql.replace(
      /(FROM system\.processes WHERE )query_id = '([\w-]+)'/,
      (_, from, id) => `${from}startsWith(query, '${mark(id)}')`,
    )

  return {
    /**
     * Runs a statement to its end, and resolves to the bytes of its result.
     *
     * @param {Statement} statement
     */
    async run(statement) {
      const killed = /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*'([\w-]+)'/i.exec(statement.sql)?.[1]
      if (killed !== undefined)
        return Buffer.from(
          (await killer.queryAsync(`KILL QUERY WHERE startsWith(query, '${mark(killed)}') ASYNC`)).bytes(),
        )
      const sql = withMarks(statement.sql)
      const work = /^\s*INSERT\b/i.test(sql) && statement.rows !== null ? insert : select
      return withSession(async (session) => Buffer.from((await work(session, { ...statement, sql })).bytes()))
    },
    /**
     * The tables (`database.table`) and table functions (`numbers()`) that a SELECT names. By its syntax alone, because to analyse a SELECT with
     * many cohorts takes seconds. Empty for one that cannot be parsed.
     */
    async readSources({ sql, database }) {
      const tree = await withSession((session) =>
        session.queryAsync(`EXPLAIN AST ${sql}`).then(
          (result) => Buffer.from(result.bytes()).toString(),
          () => '',
        ),
      )
      const tables = new Set(Array.from(tree.matchAll(/ TableIdentifier ([\w.]+)/g), ([, name]) => name))
      const functions = new Set(Array.from(tree.matchAll(TABLE_FUNCTION), ([, name]) => `${name}()`))
      for (const [, name] of sql.matchAll(/\b(\w+) AS (?:MATERIALIZED )?\(/gi)) tables.delete(name)
      return [...Array.from(tables, (name) => (name.includes('.') ? name : `${database}.${name}`)), ...functions]
    },
    close() {
      for (const session of [...idle, killer]) session.close()
    },
  }
}
