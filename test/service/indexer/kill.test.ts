import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashToUuid } from '../../../src/service/persons/person-id.ts'
import type { IndexerTestBed } from './indexer-test-bed.ts'
import { openIndexerTestBed, until } from './indexer-test-bed.ts'

const KILLS = 8
const USERS = 40

/** Events of one large request, whose persons are written in about five steps because of its size. */
const LARGE_EVENTS = 20_000
const TEXT = 'some text '.repeat(180)
const LARGE_KILLS = 5

/** Uuids of version 7 with the same time, so that one range lookup covers all of them. */
const v7 = (n: number) => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const v4 = (n: number) => hashToUuid(`event ${n}`).replace(/-8(.{3}-)/, '-4$1')

/** The n-th request: visits before the sign-in, the sign-in, and later events, with different kinds of uuids. */
const createRequest = (n: number): unknown[] => {
  const user = n % USERS
  const anonymous = `anon-${n}`
  return [
    { uuid: v7(n), event: 'visit', distinct_id: anonymous, properties: { $process_person_profile: false } },
    { uuid: v7(n + 1_000_000), event: 'view', distinct_id: anonymous, properties: { $set_once: { first: n } } },
    {
      uuid: v7(n + 2_000_000),
      event: '$identify',
      distinct_id: `user-${user}`,
      properties: { $anon_distinct_id: anonymous, $set: { last: n } },
    },
    { uuid: v4(n), event: 'buy', distinct_id: `user-${user}`, properties: { $process_person_profile: false } },
    { event: 'plain', distinct_id: `user-${user}`, properties: { n } },
  ]
}

describe('an indexer that is killed while it works', () => {
  let testBed: IndexerTestBed
  beforeEach(async () => {
    testBed = await openIndexerTestBed()
  })
  afterEach(() => testBed.stop())

  it('stores each event once with the right person', async () => {
    let sent = 0
    let last = 0
    for (let kill = 0; kill < KILLS; kill++) {
      await until(() => testBed.indexer.status().alive)
      // Every second kill waits until this process has stored something; the others may come earlier.
      if (kill % 2 === 1) await testBed.waitUntilStored(last)
      const killAt = Date.now() + 40 + ((kill * 37) % 150)
      while (Date.now() < killAt) {
        const request = createRequest(sent)
        // Every third request is delivered twice, as after a lost response. Only events with a uuid are repeated.
        const repeated = request.slice(0, 4)
        last = await testBed.send(request)
        if (sent % 3 === 0) last = await testBed.send(repeated)
        sent += 1
      }
      process.kill(testBed.pids.at(-1)!, 'SIGKILL')
      await until(() => !testBed.indexer.status().alive)
    }
    await until(() => testBed.indexer.status().alive)
    await testBed.waitUntilStored(last)

    const { rows } = await testBed.query(
      'SELECT event, count(*), count(DISTINCT uuid) FROM events GROUP BY 1 ORDER BY 1',
    )
    expect(rows).toEqual(['$identify', 'buy', 'plain', 'view', 'visit'].map((event) => [event, sent, sent]))

    const users = Math.min(USERS, sent)
    const persons = await testBed.query(`
      SELECT count(*), count(DISTINCT person_id), bool_and(events = 5 * visits) FROM (
        SELECT person_id, count(*) AS events, count(*) FILTER (event = 'visit') AS visits FROM events GROUP BY 1)`)
    expect(persons.rows).toEqual([[users, users, true]])

    const first =
      await testBed.query(`SELECT (properties->>'first')::INT AS first, (properties->>'last')::INT % ${USERS}
      FROM persons WHERE is_identified ORDER BY first`)
    expect(first.rows).toEqual(Array.from({ length: users }, (_, user) => [user, user]))

    const ids = await testBed.query('SELECT count(*), count(DISTINCT distinct_id) FROM person_distinct_ids')
    expect(ids.rows).toEqual([[sent + users, sent + users]])
    const stored = await testBed.metadata.selectFrom('person_distinct_ids').select('distinct_id').execute()
    expect(stored).toHaveLength(sent + users)
  })

  it('continues inside a large request and applies each event and change once', async () => {
    const people = 50
    // The events have no uuid, so only their position shows which of them are stored.
    // Half of the events have a person of their own: so many persons are saved in several transactions.
    const events = Array.from({ length: LARGE_EVENTS }, (_, n) => ({
      event: 'huge',
      distinct_id: n % 100 < people ? `user-${n % people}` : `visitor-${n}`,
      properties: { text: TEXT, ...(n % 100 < people && { $set: { last: n }, $set_once: { first: n } }) },
    }))
    const row = await testBed.send([...events, { event: 'last', distinct_id: 'user-0' }])
    // The persons are ahead of the events, which are written in one commit.
    const countApplied = async (): Promise<number> => {
      const progress = await testBed.metadata.selectFrom('person_positions').selectAll().executeTakeFirst()
      return progress?.inbox_row === row ? (progress.events ?? LARGE_EVENTS) : 0
    }
    const seen: number[] = []
    let applied = 0
    for (let kill = 0; kill < LARGE_KILLS; kill++) {
      if (applied >= LARGE_EVENTS) break
      await until(async () => {
        const now = await countApplied()
        const isFurther = now > applied
        applied = Math.max(now, applied)
        return isFurther
      }, 60_000)
      seen.push(applied)
      // Kills at different times of the next step.
      await new Promise((resolve) => setTimeout(resolve, (seen.length * 67) % 200))
      process.kill(testBed.pids.at(-1)!, 'SIGKILL')
      await until(() => !testBed.indexer.status().alive)
      await until(() => testBed.indexer.status().alive)
    }
    await until(() => testBed.indexer.status().position >= row, 60_000)
    // Proves that a kill came when the request was partly applied.
    expect(seen.some((count) => count > 0 && count < LARGE_EVENTS)).toBe(true)
    const { rows } = await testBed.query(
      'SELECT event, count(*), count(DISTINCT uuid) FROM events GROUP BY 1 ORDER BY 1',
    )
    expect(rows).toEqual([
      ['huge', LARGE_EVENTS, LARGE_EVENTS],
      ['last', 1, 1],
    ])
    const persons = await testBed.query(`SELECT distinct_id, (properties->>'first')::INT, (properties->>'last')::INT
      FROM persons JOIN person_distinct_ids ON person_id = id WHERE distinct_id LIKE 'user-%' ORDER BY 2`)
    const lastOf = (user: number): number => LARGE_EVENTS - 100 + user
    expect(persons.rows).toEqual(Array.from({ length: people }, (_, user) => [`user-${user}`, user, lastOf(user)]))
  }, 120_000)
})
