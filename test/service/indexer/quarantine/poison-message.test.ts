import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openInstance } from '../../../../src/service/store/events/duckdb/open-instance.ts'
import type { IndexerTestBed } from '../indexer-test-bed.ts'
import { openIndexerTestBed, until } from '../indexer-test-bed.ts'
import { suspendProcess } from '../../support/service-process.ts'

/** Heap limit of the indexer process: enough for ordinary rows, but not for the poison message. */
const HEAP_MB = 56

let testBed: IndexerTestBed
beforeEach(async () => {
  // Applies to child processes only, here the indexer. The test itself plays the front (the service's HTTP process).
  vi.stubEnv('NODE_OPTIONS', `--max-old-space-size=${HEAP_MB}`)
  testBed = await openIndexerTestBed()
})
afterEach(async () => {
  await testBed.stop()
  vi.unstubAllEnvs()
})

const createEvent = (event: string, distinct_id = 'ada', properties: object = {}) => ({
  event,
  distinct_id,
  properties,
})

/** The events of the poison message: a request of 16 MB whose events, of which some are parsed at once, need more heap. */
const poisonEvents = Array.from({ length: 16 }, () =>
  createEvent('poison', 'ada', { $set: { list: Array.from({ length: 340_000 }, () => ({})) } }),
)

const storedEventNames = async (projectId: number) => {
  const { rows } = await testBed.query('SELECT event FROM events ORDER BY event', projectId)
  return rows.map(([eventName]) => eventName)
}

/** Stops the indexer and reads the rejected rows of project 1 from its store. A quarantined row is a rejected row. */
const readRejectedRows = async () => {
  await testBed.indexer.stop()
  const file = join(testBed.folder, 'events', '1.duckdb')
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 16, threads: 1 })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll('SELECT inbox_row, reason, octet_length(body) FROM internal.rejected')
  connection.closeSync()
  instance.closeSync()
  return reader.getRowsJson()
}

it('quarantines the row that crashes the process each time, and stores the others', async () => {
  // Suspended until all rows are in the inbox, so that the first batch includes the poison message.
  suspendProcess(testBed.pids[0]!)
  await testBed.send([createEvent('a', 'phone'), createEvent('b')])
  await testBed.send([createEvent('$identify', 'ada', { $anon_distinct_id: 'phone' })])
  const poisonRow = await testBed.send(poisonEvents)
  await testBed.send([createEvent('c')])
  await testBed.send([createEvent('elsewhere')], 2)
  const lastRow = await testBed.send([createEvent('d')])
  process.kill(testBed.pids[0]!, 'SIGCONT')

  await until(() => testBed.indexer.status().position >= lastRow, 120_000)
  expect(await storedEventNames(1)).toEqual(['$identify', 'a', 'b', 'c', 'd'])
  expect(await storedEventNames(2)).toEqual(['elsewhere'])
  expect((await testBed.query('SELECT count(DISTINCT person_id) FROM events')).rows).toEqual([[1]])
  expect(testBed.indexer.status()).toMatchObject({ alive: true, failure: null, rejected: 1 })
  const rejections = testBed.warnings.filter((warning) => warning.includes('was rejected'))
  expect(rejections).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Inbox row ${poisonRow} of project 1 was rejected: the indexer process died 3 times .*internal\\.rejected`,
      ),
    ),
  ])
  // Three processes crash at the batch and three at the single row; the seventh quarantines it. One is spare.
  expect(testBed.pids.length).toBeLessThanOrEqual(8)

  const { body } = testBed.inbox.readAfter(poisonRow - 1, 1, 1)[0]!
  expect(await readRejectedRows()).toEqual([
    [String(poisonRow), expect.stringContaining('3 times'), String(body.length)],
  ])
}, 180_000)

it('quarantines no row when the process is repeatedly killed from outside', async () => {
  vi.stubEnv('NODE_OPTIONS', '')
  // About a second of work for one row, without progress in between.
  const events = Array.from({ length: 20_000 }, (_, n) => createEvent('many', `user ${n}`, { $set: { n } }))
  const readWorkRecord = () => readFileSync(join(testBed.folder, 'inbox.sqlite.working'), 'utf8')
  const row = await testBed.send(events)
  // Fewer kills than the policy accepts for one row (8).
  for (let killCount = 0; killCount < 4 && testBed.indexer.status().position < row; killCount++) {
    const isWorkingOrDone = () => testBed.indexer.status().position >= row || readWorkRecord().includes('"working":1')
    await until(isWorkingOrDone, 60_000)
    process.kill(testBed.pids.at(-1)!, 'SIGKILL')
    const startCount = testBed.pids.length
    await until(() => testBed.pids.length > startCount, 60_000)
  }
  await until(() => testBed.indexer.status().position >= row, 60_000)
  expect((await testBed.query('SELECT count(*) FROM events')).rows).toEqual([[20_000]])
  expect(testBed.indexer.status().rejected).toBe(0)
}, 180_000)
