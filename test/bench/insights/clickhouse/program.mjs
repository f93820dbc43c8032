import { createRequire } from 'node:module'
import { join } from 'node:path'
import { measureInTurn } from '../../service/measure-in-turn.mjs'
import { createSiteEvents } from '../../service/site-load.mjs'
import { COLUMNS, CREATE_TABLE, toRow } from './table.mjs'

/** @import { SiteLoad } from '../../service/site-load.mjs' */

/**
 * Runs ClickHouse in this process, on a folder with its data, and prints the result as JSON: loads the events of a load into the table
 * `events`, or answers questions.
 *
 *     node program.mjs <folder of chdb> <data folder> <task as JSON>
 *
 * @typedef {{ load: SiteLoad } | { questions: readonly { name: string, sql: string }[], runs: number }} ProgramTask
 */

/** As many as the service gives to DuckDB. */
const THREADS = 2

const ROWS_PER_INSERT = 50_000

const [packages, folder, taskJson] = process.argv.slice(2)
const { Session } = createRequire(join(packages, 'program.js'))('chdb')
const session = new Session(folder)

const select = (sql) => JSON.parse(session.query(sql, 'JSONCompact')).data
const execute = (sql) => void session.query(sql)

const load = async (siteLoad) => {
  execute(CREATE_TABLE)
  const nextEvent = createSiteEvents(siteLoad)
  for (let start = 0; start < siteLoad.eventCount; start += ROWS_PER_INSERT) {
    const count = Math.min(ROWS_PER_INSERT, siteLoad.eventCount - start)
    const rows = Array.from({ length: count }, () => toRow(nextEvent()))
    await session.insert({ table: 'events', columns: COLUMNS, values: Buffer.from(rows.join('')), format: 'TSV' })
  }
  // A server does this in the background, in the course of time.
  execute('OPTIMIZE TABLE events FINAL')
  const [[bytes]] = select("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'events'")
  return { bytesPerEvent: Math.round(Number(bytes) / siteLoad.eventCount) }
}

const answer = async (questions, runs) => {
  const answers = new Map()
  const measured = await measureInTurn(questions, runs, ({ name, sql }) => {
    answers.set(name, select(sql))
  })
  return {
    version: select('SELECT version()')[0][0],
    questions: measured.map(({ name, durationsMs, error }) => ({ name, durationsMs, error, rows: answers.get(name) })),
  }
}

const task = JSON.parse(taskJson)
execute(`SET max_threads = ${THREADS}`)
console.log(JSON.stringify('load' in task ? await load(task.load) : await answer(task.questions, task.runs)))
session.close()
