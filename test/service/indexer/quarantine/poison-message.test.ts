import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openInstance } from '../../../../src/service/store/events/duckdb/open-instance.ts'
import type { IndexerBed } from '../indexer-bed.ts'
import { openIndexerBed, until } from '../indexer-bed.ts'

/** Enough for any common row, and not for the poisonous one. */
const HEAP_MB = 96

let bed: IndexerBed
beforeEach(async () => {
  // The front runs in this process, so the indexer alone is bounded.
  vi.stubEnv('NODE_OPTIONS', `--max-old-space-size=${HEAP_MB}`)
  bed = await openIndexerBed()
})
afterEach(async () => {
  await bed.stop()
  vi.unstubAllEnvs()
})

const event = (name: string, distinct_id = 'ada', properties: object = {}) => ({ event: name, distinct_id, properties })

/** A request of 6 MB whose values take some 200 MB of the heap. */
const poison = [event('poison', 'ada', { list: Array.from({ length: 2_000_000 }, () => ({})) })]

const names = async (projectId: number) => {
  const { rows } = await bed.query('SELECT event FROM events ORDER BY event', projectId)
  return rows.map(([name]) => name)
}

const keptRows = async () => {
  await bed.indexer.stop()
  const file = join(bed.folder, 'events', '1.duckdb')
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 16, threads: 1 })
  const connection = await instance.connect()
  const kept = await connection.runAndReadAll('SELECT inbox_row, reason, octet_length(body) FROM internal.rejected')
  connection.closeSync()
  instance.closeSync()
  return kept.getRowsJson()
}

it('sets the one row aside that kills the process each time, keeps it, says so, and stores all rows beside it', async () => {
  process.kill(bed.pids[0]!, 'SIGSTOP')
  await bed.send([event('a', 'phone'), event('b')])
  await bed.send([event('$identify', 'ada', { $anon_distinct_id: 'phone' })])
  const deadly = await bed.send(poison)
  await bed.send([event('c')])
  await bed.send([event('elsewhere')], 2)
  const last = await bed.send([event('d')])
  process.kill(bed.pids[0]!, 'SIGCONT')

  await until(() => bed.indexer.status().position >= last, 120_000)
  expect(await names(1)).toEqual(['$identify', 'a', 'b', 'c', 'd'])
  expect(await names(2)).toEqual(['elsewhere'])
  expect((await bed.query('SELECT count(DISTINCT person_id) FROM events')).rows).toEqual([[1]])
  expect(bed.indexer.status()).toMatchObject({ alive: true, failure: null, rejected: 1 })
  const told = bed.warnings.filter((warning) => warning.includes('was set aside'))
  expect(told).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Inbox row ${deadly} of project 1 was set aside: the indexer process died 3 times .*internal\\.rejected`,
      ),
    ),
  ])
  expect(bed.pids.length).toBeLessThanOrEqual(8)

  const { body } = bed.inbox.readAfter(deadly - 1, 1, 1)[0]!
  expect(await keptRows()).toEqual([[String(deadly), expect.stringContaining('3 times'), String(body.length)]])
}, 180_000)

it('sets no row aside when it is killed from outside while it works on it, however often', async () => {
  vi.stubEnv('NODE_OPTIONS', '')
  // A second of work without any progress to be seen.
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
