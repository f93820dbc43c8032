import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashedUuid } from '../../../src/service/persons/person-id.ts'
import type { IndexerBed } from './indexer-bed.ts'
import { openIndexerBed, until } from './indexer-bed.ts'

const KILLS = 8
const USERS = 40

/** Events of one request that are stored in some five commits, which are bounded by bytes. */
const HUGE = 20_000
const TEXT = 'some text '.repeat(180)
const HUGE_KILLS = 5

/** Version 7 in form, and of one time, so that all of them fall into one look-up. */
const v7 = (n: number) => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const v4 = (n: number) => hashedUuid(`event ${n}`).replace(/-8(.{3}-)/, '-4$1')

/** The n-th request: a visit before sign-in, the sign-in, a purchase, each with a kind of uuid of its own. */
const requestOf = (n: number): unknown[] => {
  const user = n % USERS
  const anonymous = `anon-${n}`
  return [
    { uuid: v7(n), event: 'visit', distinct_id: anonymous, properties: { $process_person_profile: false } },
    { uuid: v7(n + 1_000_000), event: 'look', distinct_id: anonymous, properties: { $set_once: { first: n } } },
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

describe('the indexer, killed while it works', () => {
  let bed: IndexerBed
  beforeEach(async () => {
    bed = await openIndexerBed()
  })
  afterEach(() => bed.stop())

  it('stores every event once and attributes it to the right person', async () => {
    let sent = 0
    let last = 0
    for (let kill = 0; kill < KILLS; kill++) {
      await until(() => bed.indexer.status().alive)
      // Half of the kills come when this start has stored something, the others perhaps before: each of those is waited for longer.
      if (kill % 2 === 1) await bed.stored(last)
      const killAt = Date.now() + 40 + ((kill * 37) % 150)
      while (Date.now() < killAt) {
        const request = requestOf(sent)
        // Every third request is delivered twice: its answer was lost.
        const known = request.slice(0, 4)
        last = await bed.send(request)
        if (sent % 3 === 0) last = await bed.send(known)
        sent += 1
      }
      process.kill(bed.pids.at(-1)!, 'SIGKILL')
      await until(() => !bed.indexer.status().alive)
    }
    await until(() => bed.indexer.status().alive)
    await bed.stored(last)

    const { rows } = await bed.query('SELECT event, count(*), count(DISTINCT uuid) FROM events GROUP BY 1 ORDER BY 1')
    expect(rows).toEqual(['$identify', 'buy', 'look', 'plain', 'visit'].map((event) => [event, sent, sent]))

    const users = Math.min(USERS, sent)
    const persons = await bed.query(`
      SELECT count(*), count(DISTINCT person_id), bool_and(events = 5 * visits) FROM (
        SELECT person_id, count(*) AS events, count(*) FILTER (event = 'visit') AS visits FROM events GROUP BY 1)`)
    expect(persons.rows).toEqual([[users, users, true]])

    const first = await bed.query(`SELECT (properties->>'first')::INT AS first, (properties->>'last')::INT % ${USERS}
      FROM persons WHERE is_identified ORDER BY first`)
    expect(first.rows).toEqual(Array.from({ length: users }, (_, user) => [user, user]))

    const ids = await bed.query('SELECT count(*), count(DISTINCT distinct_id) FROM person_distinct_ids')
    expect(ids.rows).toEqual([[sent + users, sent + users]])
    const known = await bed.metadata.selectFrom('person_distinct_ids').select('distinct_id').execute()
    expect(known).toHaveLength(sent + users)
  })

  it('goes on inside of one huge request, and does each of its events and changes once', async () => {
    const people = 50
    // None has a uuid: only its place tells an event that is stored from one that is not.
    const events = Array.from({ length: HUGE }, (_, n) => ({
      event: 'huge',
      distinct_id: `user-${n % people}`,
      properties: { text: TEXT, ...(n % 100 < people && { $set: { last: n }, $set_once: { first: n } }) },
    }))
    const row = await bed.send([...events, { event: 'last', distinct_id: 'user-0' }])
    const count = async () => Number((await bed.query('SELECT count(*) FROM events')).rows[0]?.[0] ?? 0)
    const seen: number[] = []
    let stored = 0
    for (let kill = 0; kill < HUGE_KILLS; kill++) {
      if (stored >= HUGE) break
      await until(async () => {
        const now = await count().catch(() => 0)
        const isFurther = now > stored
        stored = Math.max(now, stored)
        return isFurther
      }, 60_000)
      seen.push(stored)
      // At another moment of the next commit each time.
      await new Promise((resolve) => setTimeout(resolve, (seen.length * 67) % 200))
      process.kill(bed.pids.at(-1)!, 'SIGKILL')
      await until(() => !bed.indexer.status().alive)
      await until(() => bed.indexer.status().alive)
    }
    await until(() => bed.indexer.status().position >= row, 60_000)
    // Else the kills have proved nothing: some of it was stored between them, and not all.
    expect(seen.some((stored) => stored > 0 && stored < HUGE)).toBe(true)
    const { rows } = await bed.query('SELECT event, count(*), count(DISTINCT uuid) FROM events GROUP BY 1 ORDER BY 1')
    expect(rows).toEqual([
      ['huge', HUGE, HUGE],
      ['last', 1, 1],
    ])
    const persons = await bed.query(`SELECT distinct_id, (properties->>'first')::INT, (properties->>'last')::INT
      FROM persons JOIN person_distinct_ids ON person_id = id ORDER BY 2`)
    const lastOf = (user: number): number => HUGE - 100 + user
    expect(persons.rows).toEqual(Array.from({ length: people }, (_, user) => [`user-${user}`, user, lastOf(user)]))
  }, 120_000)
})
