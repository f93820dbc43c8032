import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openInstance } from '../../../../src/service/store/events/duckdb/open-instance.ts'
import type { IndexerBed } from '../indexer-bed.ts'
import { openIndexerBed, until } from '../indexer-bed.ts'
import { suspendProcess } from '../../support/service-process.ts'

/** Heap of the indexer: enough for ordinary rows, but not for the poison message. */
const HEAP_MB = 96

let bed: IndexerBed
beforeEach(async () => {
  // Applies to child processes only: the indexer, not the front, which runs in this process.
  vi.stubEnv('NODE_OPTIONS', `--max-old-space-size=${HEAP_MB}`)
  bed = await openIndexerBed()
})
afterEach(async () => {
  await bed.stop()
  vi.unstubAllEnvs()
})

const event = (name: string, distinct_id = 'ada', properties: object = {}) => ({ event: name, distinct_id, properties })

/** A request of 6 MB that needs about 200 MB of heap when parsed. */
const poison = [event('poison', 'ada', { list: Array.from({ length: 2_000_000 }, () => ({})) })]

const names = async (projectId: number) => {
  const { rows } = await bed.query('SELECT event FROM events ORDER BY event', projectId)
  return rows.map(([name]) => name)
}

const readRejected = async () => {
  await bed.indexer.stop()
  const file = join(bed.folder, 'events', '1.duckdb')
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 16, threads: 1 })
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll('SELECT inbox_row, reason, octet_length(body) FROM internal.rejected')
  connection.closeSync()
  instance.closeSync()
  return reader.getRowsJson()
}

it('quarantines the row that kills the process each time, and stores all others', async () => {
  suspendProcess(bed.pids[0]!)
  await bed.send([event('a', 'phone'), event('b')])
  await bed.send([event('$identify', 'ada', { $anon_distinct_id: 'phone' })])
  const poisonRow = await bed.send(poison)
  await bed.send([event('c')])
  await bed.send([event('elsewhere')], 2)
  const last = await bed.send([event('d')])
  process.kill(bed.pids[0]!, 'SIGCONT')

  await until(() => bed.indexer.status().position >= last, 120_000)
  expect(await names(1)).toEqual(['$identify', 'a', 'b', 'c', 'd'])
  expect(await names(2)).toEqual(['elsewhere'])
  expect((await bed.query('SELECT count(DISTINCT person_id) FROM events')).rows).toEqual([[1]])
  expect(bed.indexer.status()).toMatchObject({ alive: true, failure: null, rejected: 1 })
  const rejections = bed.warnings.filter((warning) => warning.includes('was rejected'))
  expect(rejections).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Inbox row ${poisonRow} of project 1 was rejected: the indexer process died 3 times .*internal\\.rejected`,
      ),
    ),
  ])
  expect(bed.pids.length).toBeLessThanOrEqual(8)

  const { body } = bed.inbox.readAfter(poisonRow - 1, 1, 1)[0]!
  expect(await readRejected()).toEqual([[String(poisonRow), expect.stringContaining('3 times'), String(body.length)]])
}, 180_000)

it('quarantines no row when the process is repeatedly killed from outside', async () => {
  vi.stubEnv('NODE_OPTIONS', '')
  // About a second of work without progress in between.
  const people = Array.from({ length: 20_000 }, (_, n) => event('many', `user ${n}`, { $set: { n } }))
  const record = () => readFileSync(join(bed.folder, 'inbox.sqlite.working'), 'utf8')
  const row = await bed.send(people)
  for (let kill = 0; kill < 4 && bed.indexer.status().position < row; kill++) {
    const isWorking = () => bed.indexer.status().position >= row || record().includes('"working":1')
    await until(isWorking, 60_000)
    process.kill(bed.pids.at(-1)!, 'SIGKILL')
    const { length } = bed.pids
    await until(() => bed.pids.length > length, 60_000)
  }
  await until(() => bed.indexer.status().position >= row, 60_000)
  expect((await bed.query('SELECT count(*) FROM events')).rows).toEqual([[20_000]])
  expect(bed.indexer.status().rejected).toBe(0)
}, 180_000)
