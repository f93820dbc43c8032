import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { expectWithin } from '../../support/expect-within.ts'
import type { IndexerTestBed } from './indexer-test-bed.ts'
import { openIndexerTestBed, until } from './indexer-test-bed.ts'

const uuid = (n: number) => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** Undefined for a thread that has ended. */
const priorityOf = (thread: string): number | undefined => {
  try {
    return getPriority(Number(thread))
  } catch {
    return undefined
  }
}

describe('the indexer process', () => {
  let testBed: IndexerTestBed
  beforeEach(async () => {
    testBed = await openIndexerTestBed()
  })
  afterEach(() => testBed.stop())

  it('stores an event with its properties and its person', async () => {
    const row = await testBed.send([
      {
        uuid: uuid(1),
        event: '$pageview',
        timestamp: '2026-01-02T03:04:05.678Z',
        properties: { distinct_id: 'ada', $current_url: 'https://a.example/x', plan: 'pro', $set: { email: 'a@b.c' } },
      },
    ])
    await testBed.waitUntilStored(row)
    const { rows } = await testBed.query(
      `SELECT uuid, event, distinct_id, timestamp, "$current_url", properties->>'plan', person_id FROM events`,
    )
    const persons = await testBed.query('SELECT id, properties, is_identified FROM persons')
    expect(rows).toEqual([
      [uuid(1), '$pageview', 'ada', '2026-01-02T03:04:05.678Z', 'https://a.example/x', 'pro', persons.rows[0]![0]],
    ])
    expect(persons.rows).toEqual([[expect.any(String), '{"email":"a@b.c"}', false]])
  })

  it('stores an event once that is delivered twice, in one or two requests', async () => {
    const v7 = { uuid: uuid(1), event: 'a', distinct_id: 'ada' }
    const v4 = { uuid: 'c9bf9e57-1685-4c89-bafb-ff5af830be8a', event: 'b', distinct_id: 'ada' }
    await testBed.send([v7, v4, v7, v4])
    await testBed.waitUntilStored(await testBed.send([v4, v7, { event: 'no uuid', distinct_id: 'ada' }]))
    const { rows } = await testBed.query('SELECT event FROM events ORDER BY event')
    expect(rows).toEqual([['a'], ['b'], ['no uuid']])
  })

  it('counts a user once whose first events are anonymous', async () => {
    const anonymous = { $process_person_profile: false }
    await testBed.send([{ uuid: uuid(1), event: 'a', distinct_id: 'anon', properties: anonymous }])
    await testBed.send([{ uuid: uuid(2), event: 'b', distinct_id: 'ada' }])
    await testBed.waitUntilStored(
      await testBed.send([
        { uuid: uuid(3), event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } },
      ]),
    )
    expect((await testBed.query('SELECT count(*), count(DISTINCT person_id) FROM events')).rows).toEqual([[3, 1]])
    expect((await testBed.query('SELECT distinct_id FROM person_distinct_ids ORDER BY 1')).rows).toEqual([
      ['ada'],
      ['anon'],
    ])
    expect((await testBed.query('SELECT is_identified FROM persons')).rows).toEqual([[true]])
  })

  it.runIf(process.platform === 'linux')(
    'yields to the front with the threads that answer queries and store events',
    async () => {
      await testBed.waitUntilStored(await testBed.send([{ event: 'one', distinct_id: 'ada' }]))
      const pid = testBed.pids[0]!
      expect(getPriority(pid)).toBe(Math.min(getPriority() + 5, 19))
      const threads = readdirSync(`/proc/${pid}/task`)
      const lowered = threads.filter((thread) => priorityOf(thread) === getPriority(pid))
      // On a busy machine those that Node starts before any script may be older than the lower priority; most are DuckDB's and of the pool.
      expect(lowered.length).toBeGreaterThan(threads.length / 2)
    },
  )

  it('keeps projects apart', async () => {
    await testBed.send([{ event: 'one', distinct_id: 'ada' }], 1)
    await testBed.waitUntilStored(await testBed.send([{ event: 'two', distinct_id: 'ada' }], 2))
    expect((await testBed.query('SELECT event FROM events', 1)).rows).toEqual([['one']])
    expect((await testBed.query('SELECT event FROM events', 2)).rows).toEqual([['two']])
  })

  it('rejects a damaged row and continues', async () => {
    await testBed.inbox.append({
      projectId: 1,
      receivedAt: 1,
      address: null,
      form: '{}',
      body: Buffer.from('not json'),
    })
    await testBed.waitUntilStored(await testBed.send([{ event: 'after', distinct_id: 'ada' }]))
    expect((await testBed.query('SELECT event FROM events')).rows).toEqual([['after']])
  })

  it('is restarted after a kill, rejects the running query, and continues', async () => {
    const slowQuery = testBed.query('SELECT count(*) FROM range(100000000) a, range(100000) b')
    process.kill(testBed.pids[0]!, 'SIGKILL')
    await expect(slowQuery).rejects.toMatchObject({ code: 'store_unavailable' })
    const row = await testBed.send([{ event: 'after', distinct_id: 'ada' }])
    await testBed.waitUntilStored(row)
    await until(() => testBed.indexer.status().alive)
    expect((await testBed.query('SELECT event FROM events')).rows).toEqual([['after']])
    expect(testBed.pids).toHaveLength(2)
  })

  it('kills a query that cannot be interrupted, and continues', async () => {
    const sql = 'SELECT list_sum(range(400000000)) + list_sum(range(400000001)), list_sum(range(400000002))'
    const unions = `${'SELECT 1 UNION ALL '.repeat(20_000)}SELECT 1`
    await expect(testBed.query(unions)).rejects.toMatchObject({ code: 'invalid' })
    await expectWithin(5000, async () => {
      const startedAt = performance.now()
      await expect(testBed.indexer.query({ projectId: 1, sql, timeoutMs: 50, maxRows: 1 })).rejects.toMatchObject({
        name: 'QueryError',
      })
      const delayMs = performance.now() - startedAt
      await until(() => testBed.indexer.status().alive)
      return delayMs
    })
    await testBed.waitUntilStored(await testBed.send([{ event: 'after', distinct_id: 'ada' }]))
  })

  it('is replaced when it is idle and has grown, without a failure, and continues', async () => {
    await testBed.stop()
    testBed = await openIndexerTestBed({ idleReplacement: { maxMemoryMb: 1, delayMs: 1 } })
    await testBed.waitUntilStored(await testBed.send([{ event: 'before', distinct_id: 'ada' }]))
    let failures = 0
    await until(() => {
      const { alive, isBeingReplaced, failure } = testBed.indexer.status()
      if (failure !== null || (!alive && !isBeingReplaced)) failures += 1
      return testBed.pids.length === 2
    })
    await testBed.waitUntilStored(await testBed.send([{ event: 'after', distinct_id: 'ada' }]))
    expect((await testBed.query('SELECT event FROM events ORDER BY event')).rows).toEqual([['after'], ['before']])
    expect([failures, testBed.warnings]).toEqual([0, []])
    expect(testBed.infos).toEqual([
      expect.stringMatching(/^The indexer was idle and had \d+ MB: process \d+ replaces it, as planned\.$/),
    ])
  })

  it('reports a hung process until it answers again', async () => {
    process.kill(testBed.pids[0]!, 'SIGSTOP')
    try {
      await until(() => !testBed.indexer.status().alive)
      expect(testBed.indexer.status().failure).toContain('has not answered')
    } finally {
      process.kill(testBed.pids[0]!, 'SIGCONT')
    }
    await until(() => testBed.indexer.status().alive && testBed.indexer.status().failure === null)
  })

  it('rejects a query at its timeout while the process hangs', async () => {
    process.kill(testBed.pids[0]!, 'SIGSTOP')
    const query = testBed.indexer.query({ projectId: 1, sql: 'SELECT 1', timeoutMs: 100, maxRows: 1 })
    await expect(query).rejects.toMatchObject({ code: 'timeout' })
    process.kill(testBed.pids[0]!, 'SIGCONT')
  })

  it('reports a store that a query cannot open, until it can be opened', async () => {
    const uuids = join(testBed.folder, 'events', '1.duckdb.uuids')
    mkdirSync(uuids, { recursive: true })
    await expect(testBed.query('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable' })
    await until(() => testBed.indexer.status().failure !== null)
    rmdirSync(uuids)
    expect((await testBed.query('SELECT 1')).rows).toEqual([[1]])
    await until(() => testBed.indexer.status().failure === null)
  })

  it('counts rejected rows', async () => {
    await testBed.inbox.append({
      projectId: 1,
      receivedAt: 1,
      address: null,
      form: '{}',
      body: Buffer.from('not json'),
    })
    await testBed.waitUntilStored(await testBed.send([]))
    await until(() => testBed.indexer.status().rejected === 1)
  })

  it('interrupts running queries when it is stopped', async () => {
    const sql = 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 11'
    // After five seconds the process would be killed.
    await expectWithin(4500, async (attempt) => {
      if (attempt > 0) {
        await testBed.stop()
        testBed = await openIndexerTestBed()
      }
      const slowQuery = testBed.indexer
        .query({ projectId: 1, sql, timeoutMs: 60_000, maxRows: 1 })
        .catch((error: unknown) => error)
      await testBed.query('SELECT 1')
      const startedAt = performance.now()
      await testBed.indexer.stop()
      const delayMs = performance.now() - startedAt
      expect(await slowQuery).toMatchObject({ code: 'store_unavailable' })
      return delayMs
    })
  })

  it('retries while no process can be started, and can be stopped meanwhile', async () => {
    const { execPath } = process
    try {
      process.execPath = join(testBed.folder, 'none')
      process.kill(testBed.pids[0]!, 'SIGKILL')
      await until(() => testBed.warnings.filter((warning) => warning.includes('could not be started')).length > 2)
      expect(testBed.indexer.status()).toMatchObject({ alive: false, failure: expect.stringContaining('ENOENT') })
    } finally {
      process.execPath = execPath
    }
    await testBed.waitUntilStored(await testBed.send([{ event: 'after', distinct_id: 'ada' }]))
    expect(testBed.warnings.filter((warning) => warning.includes('in 100 ms'))).toHaveLength(1)

    try {
      process.execPath = join(testBed.folder, 'none')
      process.kill(testBed.pids[1]!, 'SIGKILL')
      await until(() => testBed.indexer.status().failure?.includes('ENOENT') === true)
      await testBed.indexer.stop()
    } finally {
      process.execPath = execPath
    }
  })

  it('rejects when the first process cannot be started', async () => {
    const { execPath } = process
    try {
      process.execPath = join(testBed.folder, 'none')
      await expect(openIndexerTestBed()).rejects.toThrow(/could not be started.*ENOENT/)
    } finally {
      process.execPath = execPath
    }
  })
})

it('kills a hung process with a warning and continues with the next one', async () => {
  const testBed = await openIndexerTestBed({ hangTimeoutMs: 10_000 })
  onTestFinished(() => testBed.stop())
  process.kill(testBed.pids[0]!, 'SIGSTOP')
  const row = await testBed.send([{ event: 'after', distinct_id: 'ada' }])
  await testBed.waitUntilStored(row)
  expect(testBed.pids).toHaveLength(2)
  expect(testBed.warnings).toEqual([
    'The indexer process has not answered for 10 s: it is killed.',
    'The indexer process ended (SIGKILL). It is restarted in 100 ms.',
  ])
})
