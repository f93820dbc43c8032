import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { IndexerBed } from './indexer-bed.ts'
import { openIndexerBed, until } from './indexer-bed.ts'

const uuid = (n: number) => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

describe('the indexer process', () => {
  let bed: IndexerBed
  beforeEach(async () => {
    bed = await openIndexerBed()
  })
  afterEach(() => bed.stop())

  it('stores an event with its properties and its person', async () => {
    const row = await bed.send([
      {
        uuid: uuid(1),
        event: '$pageview',
        timestamp: '2026-01-02T03:04:05.678Z',
        properties: { distinct_id: 'ada', $current_url: 'https://a.example/x', plan: 'pro', $set: { email: 'a@b.c' } },
      },
    ])
    await bed.waitUntilStored(row)
    const { rows } = await bed.query(
      `SELECT uuid, event, distinct_id, timestamp, "$current_url", properties->>'plan', person_id FROM events`,
    )
    const persons = await bed.query('SELECT id, properties, is_identified FROM persons')
    expect(rows).toEqual([
      [uuid(1), '$pageview', 'ada', '2026-01-02T03:04:05.678Z', 'https://a.example/x', 'pro', persons.rows[0]![0]],
    ])
    expect(persons.rows).toEqual([[expect.any(String), '{"email":"a@b.c"}', false]])
  })

  it('stores an event once that is delivered twice, in one or two requests', async () => {
    const v7 = { uuid: uuid(1), event: 'a', distinct_id: 'ada' }
    const v4 = { uuid: 'c9bf9e57-1685-4c89-bafb-ff5af830be8a', event: 'b', distinct_id: 'ada' }
    await bed.send([v7, v4, v7, v4])
    await bed.waitUntilStored(await bed.send([v4, v7, { event: 'no uuid', distinct_id: 'ada' }]))
    const { rows } = await bed.query('SELECT event FROM events ORDER BY event')
    expect(rows).toEqual([['a'], ['b'], ['no uuid']])
  })

  it('counts a user once who browsed before identifying', async () => {
    const anonymous = { $process_person_profile: false }
    await bed.send([{ uuid: uuid(1), event: 'a', distinct_id: 'anon', properties: anonymous }])
    await bed.send([{ uuid: uuid(2), event: 'b', distinct_id: 'ada' }])
    await bed.waitUntilStored(
      await bed.send([
        { uuid: uuid(3), event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } },
      ]),
    )
    expect((await bed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).rows).toEqual([[3, 1]])
    expect((await bed.query('SELECT distinct_id FROM person_distinct_ids ORDER BY 1')).rows).toEqual([
      ['ada'],
      ['anon'],
    ])
    expect((await bed.query('SELECT is_identified FROM persons')).rows).toEqual([[true]])
  })

  it('keeps projects apart', async () => {
    await bed.send([{ event: 'one', distinct_id: 'ada' }], 1)
    await bed.waitUntilStored(await bed.send([{ event: 'two', distinct_id: 'ada' }], 2))
    expect((await bed.query('SELECT event FROM events', 1)).rows).toEqual([['one']])
    expect((await bed.query('SELECT event FROM events', 2)).rows).toEqual([['two']])
  })

  it('rejects a damaged row and continues', async () => {
    await bed.inbox.append({ projectId: 1, receivedAt: 1, address: null, form: '{}', body: Buffer.from('not json') })
    await bed.waitUntilStored(await bed.send([{ event: 'after', distinct_id: 'ada' }]))
    expect((await bed.query('SELECT event FROM events')).rows).toEqual([['after']])
  })

  it('is restarted after a kill, rejects the running query, and continues', async () => {
    const slowQuery = bed.query('SELECT count(*) FROM range(100000000) a, range(100000) b')
    process.kill(bed.pids[0]!, 'SIGKILL')
    await expect(slowQuery).rejects.toMatchObject({ code: 'store_unavailable' })
    const row = await bed.send([{ event: 'after', distinct_id: 'ada' }])
    await bed.waitUntilStored(row)
    await until(() => bed.indexer.status().alive)
    expect((await bed.query('SELECT event FROM events')).rows).toEqual([['after']])
    expect(bed.pids).toHaveLength(2)
  })

  it('kills a query that cannot be interrupted, and continues', async () => {
    const sql = 'SELECT list_sum(range(400000000)) + list_sum(range(400000001)), list_sum(range(400000002))'
    const unions = `${'SELECT 1 UNION ALL '.repeat(20_000)}SELECT 1`
    await expect(bed.query(unions)).rejects.toMatchObject({ code: 'invalid' })
    const startedAt = performance.now()
    await expect(bed.indexer.query({ projectId: 1, sql, timeoutMs: 50, maxRows: 1 })).rejects.toMatchObject({
      name: 'QueryError',
    })
    expect(performance.now() - startedAt).toBeLessThan(5000)
    await until(() => bed.indexer.status().alive)
    await bed.waitUntilStored(await bed.send([{ event: 'after', distinct_id: 'ada' }]))
  })

  it('reports a hung process until it answers again', async () => {
    process.kill(bed.pids[0]!, 'SIGSTOP')
    try {
      await until(() => !bed.indexer.status().alive)
      expect(bed.indexer.status().failure).toContain('has not answered')
    } finally {
      process.kill(bed.pids[0]!, 'SIGCONT')
    }
    await until(() => bed.indexer.status().alive && bed.indexer.status().failure === null)
  })

  it('rejects a query at its timeout while the process hangs', async () => {
    process.kill(bed.pids[0]!, 'SIGSTOP')
    const query = bed.indexer.query({ projectId: 1, sql: 'SELECT 1', timeoutMs: 100, maxRows: 1 })
    await expect(query).rejects.toMatchObject({ code: 'timeout' })
    process.kill(bed.pids[0]!, 'SIGCONT')
  })

  it('reports a store that a query cannot open, until it can be opened', async () => {
    const uuids = join(bed.folder, 'events', '1.duckdb.uuids')
    mkdirSync(uuids, { recursive: true })
    await expect(bed.query('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable' })
    await until(() => bed.indexer.status().failure !== null)
    rmdirSync(uuids)
    expect((await bed.query('SELECT 1')).rows).toEqual([[1]])
    await until(() => bed.indexer.status().failure === null)
  })

  it('counts rejected rows', async () => {
    await bed.inbox.append({ projectId: 1, receivedAt: 1, address: null, form: '{}', body: Buffer.from('not json') })
    await bed.waitUntilStored(await bed.send([]))
    await until(() => bed.indexer.status().rejected === 1)
  })

  it('interrupts running queries when it is stopped', async () => {
    const sql = 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 11'
    const slowQuery = bed.indexer
      .query({ projectId: 1, sql, timeoutMs: 60_000, maxRows: 1 })
      .catch((error: unknown) => error)
    await bed.query('SELECT 1')
    const startedAt = performance.now()
    await bed.indexer.stop()
    expect(performance.now() - startedAt).toBeLessThan(4500)
    expect(await slowQuery).toMatchObject({ code: 'store_unavailable' })
  })

  it('retries while no process can be started, and can be stopped meanwhile', async () => {
    const { execPath } = process
    try {
      process.execPath = join(bed.folder, 'none')
      process.kill(bed.pids[0]!, 'SIGKILL')
      await until(() => bed.warnings.filter((warning) => warning.includes('could not be started')).length > 2)
      expect(bed.indexer.status()).toMatchObject({ alive: false, failure: expect.stringContaining('ENOENT') })
    } finally {
      process.execPath = execPath
    }
    await bed.waitUntilStored(await bed.send([{ event: 'after', distinct_id: 'ada' }]))
    expect(bed.warnings.filter((warning) => warning.includes('in 100 ms'))).toHaveLength(1)

    try {
      process.execPath = join(bed.folder, 'none')
      process.kill(bed.pids[1]!, 'SIGKILL')
      await until(() => bed.indexer.status().failure?.includes('ENOENT') === true)
      await bed.indexer.stop()
    } finally {
      process.execPath = execPath
    }
  })

  it('rejects when the first process cannot be started', async () => {
    const { execPath } = process
    try {
      process.execPath = join(bed.folder, 'none')
      await expect(openIndexerBed()).rejects.toThrow(/could not be started.*ENOENT/)
    } finally {
      process.execPath = execPath
    }
  })
})

it('kills a hung process with a warning and continues with the next one', async () => {
  const bed = await openIndexerBed({ hangTimeoutMs: 2000 })
  onTestFinished(() => bed.stop())
  process.kill(bed.pids[0]!, 'SIGSTOP')
  const row = await bed.send([{ event: 'after', distinct_id: 'ada' }])
  await bed.waitUntilStored(row)
  expect(bed.pids).toHaveLength(2)
  expect(bed.warnings).toEqual([
    'The indexer process has not answered for 2 s: it is killed.',
    'The indexer process ended (SIGKILL). It is restarted in 100 ms.',
  ])
})
