import { describe, expect, it, onTestFinished, test } from 'vitest'
import { COUNT_COLUMN } from '../../../../../../src/service/store/events/duckdb/event-table/event-counts.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { rewriteToCounts } from '../../../../../../src/service/store/events/duckdb/query/rewrite-to-counts.ts'
import type { Json } from '../../../../../../src/wire/json.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'

const HOW_MANY = [
  "select COUNT( * ), count() from events where event = 'a'",
  "SELECT count(*) AS count FROM main.events WHERE event = 'a'",
  "SELECT count(*) FROM events WHERE event = 'nothing'",
  "SELECT count(*) > 3 FROM events WHERE event IN ('a', 'ä') OR NOT event < 'b'",
  "SELECT date_trunc('day', timestamp) AS day, count(*) FROM events GROUP BY day ORDER BY day",
  "SELECT date_trunc('HOUR', e.timestamp), e.event, count(*) AS n FROM events e GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 3",
  "SELECT event, datetrunc('month', timestamp) AS month, count(*) FROM events GROUP BY ALL HAVING count(*) > 1 ORDER BY 1, 2",
  "SELECT 'ä' AS ä, event AS count, count(*) FROM events GROUP BY event ORDER BY count(*), event",
  "SELECT count(*) FROM events WHERE timestamp >= '2026-01-02' AND timestamp < '2026-01-02 03:15'",
  "SELECT count(*) FROM events WHERE timestamp >= TIMESTAMP '2026-01-02 03:00' AND timestamp < '2026-01-03T00:00:00.000Z'",
  "SELECT count(*) FROM events WHERE timestamp < DATE '2026-01-03' AND timestamp >= '2026-01-02 02:45:00+00:00'",
  "SELECT date_trunc('week', timestamp) AS week, count(*) FROM events GROUP BY week ORDER BY week NULLS FIRST OFFSET 1",
]

const OTHERS = [
  'SELECT count(*) FROM events',
  'SELECT event FROM events GROUP BY event ORDER BY event',
  'SELECT count(event) FROM events',
  'SELECT count(DISTINCT event) FROM events',
  "SELECT count(*) FILTER (WHERE event = 'a') FROM events",
  'SELECT count(*) OVER () FROM events LIMIT 1',
  'SELECT min(timestamp), count(*) FROM events',
  'SELECT distinct_id, count(*) FROM events GROUP BY distinct_id ORDER BY 1',
  "SELECT count(*) FROM events WHERE properties->>'n' = '1'",
  "SELECT date_trunc('minute', timestamp) AS minute, count(*) FROM events GROUP BY minute ORDER BY minute",
  "SELECT date_trunc('day', received_at) AS day, count(*) FROM events GROUP BY day ORDER BY day",
  // GROUP BY means the column of events.
  "SELECT date_trunc('day', timestamp) AS timestamp, count(*) FROM events GROUP BY timestamp ORDER BY 1",
  "SELECT date_trunc('day', timestamp) AS uuid, count(*) FROM events GROUP BY events.timestamp, events.uuid ORDER BY 1",
  "SELECT count(*) FROM events WHERE timestamp >= '2026-01-02 03:04'",
  "SELECT count(*) FROM events WHERE timestamp > '2026-01-02'",
  "SELECT count(*) FROM events WHERE '2026-01-02' <= timestamp",
  // The alias means a row of events.
  'SELECT events AS events, count(*) FROM events GROUP BY events',
  'SELECT e AS E, count(*) FROM events e GROUP BY 1',
  `SELECT event AS "${COUNT_COLUMN}", count(*) FROM events GROUP BY event`,
  // DuckDB counts each of these spaces as one byte, so that the place of `count(*)` would be in the string.
  "SELECT\u2003\u2003\u2003\u2003\u2003\u00a0'count(*)', count(*) FROM events WHERE event = 'a'",
  'SELECT count(*) FROM events, events AS more',
  'SELECT count(*) FROM (SELECT * FROM events)',
  'WITH more AS (SELECT * FROM events) SELECT count(*) FROM events',
  'SELECT count(*) FROM events UNION ALL SELECT 1',
  'SELECT count(*) FROM events WHERE event IN (SELECT event FROM events)',
  'SELECT count(*) FROM persons',
  'SELECT count(*) * 2 FROM events',
  'SELECT count(/* all */ *) FROM events',
]

test('a SELECT reads counts if it asks how many events there are, by name or time, and nothing else', async () => {
  const instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  const usesCounts = async (sql: string): Promise<boolean> => {
    const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
    return rewriteToCounts(sql, JSON.parse(String(reader.getRows()[0]![0])) as Json) !== null
  }
  for (const sql of HOW_MANY) expect([sql, await usesCounts(sql)]).toEqual([sql, true])
  for (const sql of OTHERS) expect([sql, await usesCounts(sql)]).toEqual([sql, false])
  connection.closeSync()
  instance.closeSync()
})

describe('a SELECT that reads counts', () => {
  const open = async () => {
    // So that some events are counted and some are not.
    const { store, close } = await openTestEventStore(1, { countStepRows: 3, minEventsPerCount: 0 })
    onTestFinished(close)
    return store
  }

  it('has the columns, types and rows that it has without them', async () => {
    const store = await open()
    const query = (sql: string) => store.query({ sql, timeoutMs: 10_000, maxRows: 100 })
    const start = Date.UTC(2026, 0, 2, 2, 59)
    const names = ['a', 'b', "it's", 'ä']
    for (let batch = 0; batch < 5; batch++) {
      const events = Array.from({ length: 4 }, (_, index) => {
        const n = batch * 4 + index
        return storedEvent(n + 1, { event: names[n % 3]!, timestamp: start + (n ** 3 % 50_000) * 60_000 })
      })
      await store.commit(batchOf(events))
      for (const sql of HOW_MANY) {
        const { columns, types, rows } = await query(sql)
        const without = await query(
          sql.replace(
            /from (?:main\.)?events( e\b)?/i,
            (_, alias) => `FROM (SELECT * FROM events) ${alias ?? 'AS events'}`,
          ),
        )
        expect([sql, { columns, types, rows }]).toEqual([
          sql,
          { columns: without.columns, types: without.types, rows: without.rows },
        ])
      }
    }
  })

  it('has the error that it has without them', async () => {
    const store = await open()
    await expect(
      store.query({ sql: 'SELECT event, count(*) FROM events', timeoutMs: 10_000, maxRows: 1 }),
    ).rejects.toThrow('GROUP BY')
    await expect(
      store.query({ sql: 'SELECT count(*) FROM events ORDER BY evnt', timeoutMs: 10_000, maxRows: 1 }),
    ).rejects.toThrow('evnt')
    // This fails while it runs.
    await store.commit(batchOf([storedEvent(1)]))
    const failure = await store
      .query({ sql: 'SELECT count(*) AS n, event = 1 FROM events GROUP BY 2', timeoutMs: 10_000, maxRows: 1 })
      .catch((error: Error) => error.message)
    expect(failure).toContain('(line 1, column 23)')
    expect(failure).not.toContain(COUNT_COLUMN)
  })
})
