import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import type { ColumnUse } from '../../../../../../src/service/store/events/duckdb/query/column-use.ts'
import { readColumnUse } from '../../../../../../src/service/store/events/duckdb/query/column-use.ts'

describe('what a SELECT uses', () => {
  let instance: Awaited<ReturnType<typeof openInstance>>
  beforeAll(async () => {
    instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
  })
  afterAll(() => instance.closeSync())

  const readUse = async (sql: string): Promise<ColumnUse | null> => {
    const connection = await instance.connect()
    try {
      const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
      const tree = JSON.parse(String(reader.getRows()[0]![0]))
      expect(tree.error).toBe(false)
      return readColumnUse(tree)
    } finally {
      connection.closeSync()
    }
  }
  const readPaths = async (sql: string) =>
    (await readUse(sql))?.reads.map(({ kind, path, table }) => `${kind} ${path}${table === null ? '' : ` of ${table}`}`)

  it.each([
    ["SELECT properties->>'$browser' FROM events", ['text $browser']],
    ["SELECT json_extract_string(properties, '$.plan') FROM main.events", ['text $.plan']],
    ["SELECT json_extract(e.properties, 'plan') FROM events AS e", ['json plan of events']],
    ["SELECT count(*) FILTER (WHERE properties->>'a' = 'b') FROM events", ['text a']],
    ["WITH e AS (SELECT * FROM events) SELECT e.properties->>'a', count(*) FROM e GROUP BY 1", ['text a']],
    ['SELECT count(*) FROM (FROM events) AS x(u) WHERE 1 IN (SELECT 2)', undefined],
    ["SELECT t.p FROM (SELECT properties->>'a', 1 FROM events) AS t(p, n)", ['text a']],
    [
      "SELECT p.properties->>'plan', events.properties->>'a' FROM events JOIN persons p ON p.id = events.person_id",
      ['text plan of persons', 'text a of events'],
    ],
    ["SELECT x.properties->>'a' FROM persons x, (SELECT 1 FROM events x)", ['text a']],
    ["SELECT 1 FROM events WHERE EXISTS (SELECT * FROM persons WHERE properties->>'a' = '1')", ['text a']],
    ["SELECT 1 FROM events UNION SELECT 2 FROM events WHERE properties->>'a' = ''", ['text a']],
    ["SELECT row_number() OVER (PARTITION BY properties->>'a' ORDER BY timestamp) FROM events", ['text a']],
    ["SELECT list_transform([1], x -> x + 1), properties->>'a' FROM events", ['text a']],
    ["SELECT * EXCLUDE (properties) FROM events WHERE properties->>'a' > '' ORDER BY timestamp LIMIT 3", ['text a']],
  ])('%s', async (sql, expected) => {
    expect(await readPaths(sql)).toEqual(expected)
  })

  it.each([
    'SELECT properties FROM events',
    'SELECT e.properties AS p FROM events e',
    'SELECT json_keys(properties) FROM events',
    "SELECT properties::VARCHAR->>'a' FROM events",
    "SELECT properties->>lower('A') FROM events",
    'SELECT properties->>0 FROM events',
    "SELECT properties->>['a', 'b'] FROM events",
    "SELECT properties->'a' FROM events",
    "SELECT properties->'a'->>'b' FROM events",
    'SELECT properties.plan FROM events',
    "SELECT '{}'->>'a' FROM events",
    'SELECT events FROM events',
    'SELECT to_json(e) FROM events e',
    "SELECT p->>'a' FROM events AS t(u, e, d, p)",
    "SELECT p->>'a' FROM (SELECT * FROM events) AS t(u, e, d, p)",
    'WITH t(u) AS (SELECT * FROM events) SELECT u FROM t',
    'SELECT * RENAME (properties AS p) FROM events',
    'SELECT * REPLACE (1 AS properties) FROM events',
    "SELECT COLUMNS('p.*') FROM events",
    'SELECT #8 FROM events',
    'SELECT DISTINCT * FROM events',
    'SELECT * FROM events GROUP BY ALL',
    'SELECT * FROM events ORDER BY ALL',
    'SELECT * FROM events UNION ALL SELECT * FROM events',
    'SELECT * FROM events NATURAL JOIN persons',
    'SELECT 1 FROM events JOIN persons USING (properties)',
    "SELECT 1 WHERE 'a' IN (SELECT * FROM events)",
    'SELECT (SELECT * FROM events)',
    'SELECT k FROM events, json_each(properties) AS j(k)',
    "SELECT list_filter([1], properties -> 'a') FROM events",
    'WITH RECURSIVE r AS (SELECT * FROM events UNION ALL SELECT * FROM r) SELECT 1 FROM r',
  ])('is not certain: %s', async (sql) => {
    expect(await readUse(sql)).toBeNull()
  })

  it('lists the columns that are named, in any clause', async () => {
    const use = await readUse(
      'SELECT Event FROM events e JOIN person_distinct_ids USING (distinct_id) WHERE e.timestamp > now() ORDER BY uuid',
    )
    expect([...use!.names].sort()).toEqual(['distinct_id', 'e', 'event', 'timestamp', 'uuid'])
  })
})
