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
    ["WITH e AS (SELECT event, properties FROM events) SELECT properties->>'a' FROM e", ['text a']],
    ["WITH e AS (SELECT properties AS Fields FROM events) SELECT fields->>'a' FROM e GROUP BY 1", ['text a']],
    ["SELECT b->>'x' FROM (SELECT a.f AS b FROM (SELECT properties AS f FROM events) AS a)", ['text x']],
    [
      "SELECT x.f->>'a', y.properties->>'b' FROM (SELECT properties AS f FROM events) x, persons y",
      ['text a', 'text b of persons'],
    ],
    ["SELECT f, f->>'a' FROM (SELECT properties AS f FROM events)", ['text a']],
    ["SELECT 1 FROM events WHERE EXISTS (SELECT properties FROM persons WHERE properties->>'a' = '1')", ['text a']],
  ])('%s', async (sql, expected) => {
    expect(await readPaths(sql)).toEqual(expected)
  })

  it.each([
    'SELECT max(f) FROM (SELECT properties AS f FROM events)',
    'SELECT f FROM (SELECT properties AS f FROM events) ORDER BY f',
    'SELECT f::VARCHAR FROM (SELECT properties AS f FROM events)',
    'SELECT f.plan FROM (SELECT properties AS f FROM events)',
    "SELECT f->'a' FROM (SELECT properties AS f FROM events)",
    "SELECT f->>'a' FROM (SELECT properties AS f FROM events UNION ALL SELECT event FROM events)",
    "SELECT f->>'a', event AS f FROM (SELECT properties AS f, event FROM events)",
    "SELECT event->>'a' FROM (SELECT properties AS event FROM events) WHERE event > ''",
    "SELECT t.f->>'a' FROM (SELECT DISTINCT properties AS f FROM events) AS t",
    "SELECT t.f->>'a' FROM (SELECT properties AS f FROM events ORDER BY 1) AS t",
    "SELECT t.u->>'a' FROM (SELECT properties AS f FROM events) AS t(u)",
    "WITH t(u) AS (SELECT properties FROM events) SELECT u->>'a' FROM t",
    'SELECT (SELECT properties AS f FROM events LIMIT 1)',
    "SELECT 1 WHERE '{}' IN (SELECT properties AS f FROM events)",
    "SELECT t.properties_1->>'a' FROM (SELECT properties, properties FROM events) AS t",
    "SELECT f->>'a' FROM (SELECT *, properties AS f FROM events)",
    'SELECT list_transform([1], f -> f + 1) FROM (SELECT properties AS f FROM events)',
    'SELECT 1 FROM (SELECT properties AS f FROM events) JOIN (SELECT 1 AS f) USING (f)',
    'SELECT properties, 1 FROM events ORDER BY properties',
    'SELECT e.properties AS p FROM events e ORDER BY p',
    'SELECT e.properties AS p FROM events e ORDER BY 1',
    'SELECT DISTINCT properties FROM events',
    'SELECT properties FROM events GROUP BY 1',
    'SELECT properties FROM events UNION ALL SELECT properties FROM persons',
    'SELECT * FROM events ORDER BY 3',
    'SELECT * FROM events ORDER BY 3 COLLATE NOCASE',
    'SELECT uuid FROM (SELECT * FROM events ORDER BY 3 LIMIT 1)',
    'SELECT uuid FROM (SELECT * FROM events a, events b)',
    'SELECT uuid FROM (SELECT a.*, b.* FROM events a, persons b)',
    'SELECT max(x.person_id_1) FROM (SELECT * FROM events) AS x',
    'SELECT unnamed_subquery FROM (SELECT * FROM events)',
    'SELECT main.events FROM main.events',
    "SELECT x.properties->>'a' FROM (SELECT event AS properties FROM events) AS x",
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

  it.each([
    ['only passes on', 'SELECT * FROM events ORDER BY timestamp'],
    ['only passes on', 'SELECT e.properties AS p, e.uuid FROM events e ORDER BY e.timestamp DESC LIMIT 100'],
    ['only passes on', 'SELECT distinct_id, person_id AS person, properties FROM events'],
    ['only passes on', 'SELECT * FROM events a JOIN events b USING (uuid)'],
    ['only passes on', "SELECT event, properties->>'a' FROM events GROUP BY ALL ORDER BY ALL"],
    ['uses', 'SELECT distinct_id FROM events ORDER BY distinct_id'],
    ['uses', "SELECT distinct_id AS id, uuid FROM events WHERE id > ''"],
    ['uses', 'SELECT DISTINCT person_id FROM events'],
    ['uses', 'SELECT Person_ID, count(*) FROM events GROUP BY 1'],
    ['uses', 'SELECT event FROM events e JOIN person_distinct_ids USING (distinct_id)'],
    ['uses', 'SELECT * FROM (SELECT * FROM events)'],
    ['uses', 'SELECT person_id, properties FROM (SELECT person_id, properties FROM events)'],
    ['only passes on', 'SELECT uuid, properties FROM (SELECT uuid, properties FROM events)'],
  ] as const)('%s ids: %s', async (how, sql) => {
    expect((await readUse(sql))!.usesIds).toBe(how === 'uses')
  })

  it('lists tables and functions in lower case', async () => {
    const use = await readUse("SELECT JSON_TYPE(properties, 'a'), Lower(event) FROM Events JOIN persons USING (uuid)")
    expect([...use!.tables]).toEqual(['events', 'persons'])
    expect([...use!.functions]).toEqual(['json_type', 'lower'])
  })
})
