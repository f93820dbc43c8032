import * as fc from 'fast-check'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import type { QueryResult } from '../../../../../../src/service/indexer/query-result.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

const openFilledStore = async (): Promise<EventStore> => {
  const store = await openDuckDbStore({
    file: join(createTempFolder(), '1.duckdb'),
    deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
    memoryMb: 256,
    spillMb: 16,
    threads: 1,
  })
  onTestFinished(() => store.close())
  // Numbers of distinct ids are in another order than the ids.
  const ids = ['zed', 'ada', 'zed 2', 'bob', 'ada', 'Ada']
  await store.commit(
    batchOf(
      ids.map((distinctId, index) =>
        storedEvent(index + 1, { distinctId, properties: { plan: index % 2 === 0 ? 'pro' : 'free', n: 9 - index } }),
      ),
      {
        persons: {
          persons: ['zed', 'ada'].map((id) => ({
            id: derivePersonId(1, id),
            properties: { plan: `plan of ${id}` },
            createdAt: 0,
            isIdentified: true,
          })),
          distinctIds: new Map([
            ['zed', derivePersonId(1, 'zed')],
            ['zed 2', derivePersonId(1, 'zed')],
            ['ada', derivePersonId(1, 'ada')],
          ]),
          groups: [],
        },
      },
    ),
  )
  return store
}

const RELATIONS = [
  'events e',
  'main.events AS e',
  '(SELECT * FROM events) e',
  '(SELECT * EXCLUDE (historical) FROM events ORDER BY 3, 1 LIMIT 4) e',
  '(SELECT * FROM events ORDER BY distinct_id DESC, uuid LIMIT 4) e',
  '(SELECT * EXCLUDE (uuid) FROM events)',
  '(SELECT uuid, distinct_id, properties FROM events) e',
  '(SELECT event AS properties, uuid FROM events) e',
  '(FROM events UNION ALL FROM events) e',
  'events e JOIN persons p ON p.id = e.person_id',
  'events e LEFT JOIN events b ON b.uuid > e.uuid',
  'events e JOIN events b USING (uuid)',
  'events e JOIN person_distinct_ids USING (distinct_id)',
  '(SELECT * FROM events a JOIN events b USING (uuid)) e',
  '(SELECT a.*, b.event AS other FROM events a JOIN events b USING (distinct_id)) e',
]

const ITEMS = [
  '*',
  'e.*',
  '* EXCLUDE (properties)',
  'uuid',
  'e.uuid',
  'distinct_id',
  'e.person_id AS person',
  'properties',
  'e.properties AS distinct_id',
  "properties->>'plan' AS plan",
  "e.properties->>'$.n'",
  "json_type(properties, 'n')",
  "date_trunc('month', timestamp)",
  "date_trunc('day', '2026-01-02')",
  "lower(distinct_id) || '!'",
  'count(*)',
  'count(DISTINCT person_id)',
  'max(distinct_id)',
  'distinct_id_1',
  'person_id_1',
  'count(DISTINCT properties_1)',
  'e',
  'to_json(e)',
  'to_json(unnamed_subquery)',
  'row_number() OVER (ORDER BY e.uuid)',
]

const CONDITIONS = [
  '',
  "WHERE properties->>'plan' = 'pro'",
  "WHERE distinct_id <> 'bob'",
  "WHERE e.uuid IN (SELECT uuid FROM (SELECT * FROM events) WHERE distinct_id > 'b')",
  "WHERE EXISTS (SELECT * FROM persons WHERE id = person_id AND persons.properties->>'plan' <> '')",
  'GROUP BY ALL',
  'GROUP BY 1',
]

const ORDERS = ['', 'ORDER BY 1', 'ORDER BY 2, 1', 'ORDER BY ALL', 'ORDER BY uuid', 'ORDER BY distinct_id, e.uuid']

const ENCLOSURES = [
  (sql: string) => sql,
  (sql: string) => `SELECT * FROM (${sql})`,
  (sql: string) => `SELECT count(*) FROM (${sql}) x`,
  (sql: string) => `SELECT to_json(x) FROM (${sql}) x`,
  (sql: string) => `SELECT count(DISTINCT unnamed_subquery) FROM (${sql})`,
  (sql: string) => `WITH x AS (${sql}) SELECT x.properties->>'plan', count(*) FROM x GROUP BY 1`,
  (sql: string) => `WITH x AS (${sql}) SELECT max(x.distinct_id), count(DISTINCT x.person_id) FROM x`,
  (sql: string) => `SELECT DISTINCT * FROM (${sql})`,
]

const run = async (store: EventStore, sql: string): Promise<QueryResult | 'error'> => {
  try {
    const { rows, ...result } = await store.query({ sql, timeoutMs: 10_000, maxRows: 1000 })
    // Without a complete ORDER BY, rows may come in any order.
    return { ...result, rows: [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) }
  } catch {
    return 'error'
  }
}

/** A part for which the whole query runs on the views of the project. */
const PLAIN = 'unused AS (SELECT properties::VARCHAR FROM events)'

it('any SELECT returns the same from the views of a query as from those of the project', async () => {
  const store = await openFilledStore()
  const select = fc
    .record({
      items: fc.array(fc.constantFrom(...ITEMS), { minLength: 1, maxLength: 3 }),
      relation: fc.constantFrom(...RELATIONS),
      condition: fc.constantFrom(...CONDITIONS),
      order: fc.constantFrom(...ORDERS),
      enclose: fc.constantFrom(...ENCLOSURES),
    })
    .map(({ items, relation, condition, order, enclose }) =>
      enclose(`SELECT ${items.join(', ')} FROM ${relation} ${condition} ${order}`),
    )
  await fc.assert(
    fc.asyncProperty(select, async (sql) => {
      const plain = sql.startsWith('WITH ') ? sql.replace('WITH', `WITH ${PLAIN},`) : `WITH ${PLAIN} ${sql}`
      expect(await run(store, sql), sql).toEqual(await run(store, plain))
    }),
    { numRuns: 150 },
  )
}, 180_000)
