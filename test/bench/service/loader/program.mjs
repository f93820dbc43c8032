import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { readLoadFile } from '../load-file.mjs'
import { createColumns } from './columns.mjs'
import { MAX_VECTOR_ROWS } from './vectors.mjs'

const { DuckDBDataChunk, DuckDBInstance } = createRequire(
  new URL('../../../../src/service/package.json', import.meta.url),
)('@duckdb/node-api')

/**
 * Loads the events of a load file into a DuckDB file as fast as this process can, with the columns of the view `events`: it has no persons,
 * checks nothing and finds no duplicates. It prints what it measured as JSON.
 *
 *     node program.mjs <load file> <DuckDB file> <columns as JSON>
 */

/** DuckDB writes row groups of this size to the file at a commit; smaller ones go through the write-ahead log. */
const TRANSACTION_ROWS = 122_880

const [loadPath, filePath, columnsJson] = process.argv.slice(2)
const columns = createColumns(JSON.parse(columnsJson))

const startedAt = performance.now()
const instance = await DuckDBInstance.create(filePath, { storage_compatibility_version: 'latest' })
const connection = await instance.connect()
await connection.run(`CREATE TABLE events (${columns.map(({ definition }) => definition).join(', ')})`)

const types = columns.map(({ type }) => type)
const receivedAt = Date.now()
let events = []
let transactionRows = 0
let eventCount = 0
let appender = null

const begin = async () => {
  await connection.run('BEGIN TRANSACTION')
  appender = await connection.createAppender('events')
}
const commit = async () => {
  appender.closeSync()
  await connection.run('COMMIT')
  transactionRows = 0
}
const append = () => {
  const chunk = DuckDBDataChunk.create(types, events.length)
  for (const [index, { write }] of columns.entries()) write(chunk, index, events)
  appender.appendDataChunk(chunk)
  // The appender would otherwise keep 100 chunks in memory.
  appender.flushSync()
  eventCount += events.length
  transactionRows += events.length
  events = []
}

await begin()
for (const { body } of readLoadFile(loadPath)) {
  for (const event of JSON.parse(gunzipSync(body).toString()).batch) {
    event.received_at = receivedAt
    events.push(event)
    if (events.length < MAX_VECTOR_ROWS) continue
    append()
    if (transactionRows < TRANSACTION_ROWS) continue
    await commit()
    await begin()
  }
}
if (events.length > 0) append()
await commit()
await connection.run('CHECKPOINT')
connection.closeSync()
instance.closeSync()

const { user, system } = process.cpuUsage()
console.log(
  JSON.stringify({
    eventCount,
    durationMs: performance.now() - startedAt,
    cpuMicroseconds: user + system,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
)
