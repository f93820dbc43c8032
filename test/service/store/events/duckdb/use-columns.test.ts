import { join } from 'node:path'
import * as fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { HOT_PROPERTIES } from '../../../../../src/service/store/events/duckdb/hot-properties.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import { useColumns } from '../../../../../src/service/store/events/duckdb/use-columns.ts'
import type { EventStore } from '../../../../../src/service/store/events/event-store.ts'
import { batchOf, select, storedEvent } from '../../../../contract/service-event-store.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

type Connection = Awaited<ReturnType<Awaited<ReturnType<typeof openInstance>>['connect']>>

const LIMITS = { memoryMb: 128, spillMb: 16, threads: 1 }

let connection: Connection
beforeEach(async () => {
  const instance = await openInstance(join(createTempFolder(), '1.duckdb'), LIMITS)
  connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
})

const edit = async (sql: string): Promise<string> => {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
  const tree = JSON.parse(String(reader.getRows()[0]![0]))
  if (tree.error) throw new Error(tree.error_message)
  return useColumns(sql, tree)
}

test.each([
  [
    `SELECT count(*) FROM events WHERE properties->>'$browser' = 'x'`,
    `SELECT count(*) FROM events WHERE "$browser" = 'x'`,
  ],
  [
    `SELECT count(*) FROM events WHERE (properties->>'$browser') = 'x'`,
    `SELECT count(*) FROM events WHERE ("$browser") = 'x'`,
  ],
  [
    `SELECT properties->>'$browser', count(*) FROM events GROUP BY properties ->> '$browser' ORDER BY properties->>'$browser'`,
    `SELECT "$browser" AS "(properties ->> '$browser')", count(*) FROM events GROUP BY "$browser" ORDER BY "$browser"`,
  ],
  [`SELECT lower(properties->>'$."$os"') AS os FROM main.events`, `SELECT lower("$os") AS os FROM main.events`],
  [`SELECT properties->>'$.$os' AS os FROM events`, `SELECT "$os" AS os FROM events`],
  [
    `SELECT 'é', E."Properties" ->> 'utm_source' AS source FROM events AS e`,
    `SELECT 'é', E."utm_source" AS source FROM events AS e`,
  ],
  [
    `SELECT JSON_EXTRACT_STRING( properties , '$.utm_source' ) FROM events`,
    `SELECT "utm_source" AS "json_extract_string(properties, '$.utm_source')" FROM events`,
  ],
  [
    `SELECT count(DISTINCT properties->>'$lib') FROM events JOIN person_distinct_ids AS ids USING (distinct_id)`,
    `SELECT count(DISTINCT "$lib") FROM events JOIN person_distinct_ids AS ids USING (distinct_id)`,
  ],
  [
    `SELECT count(e.properties->>'$lib'), min(p.properties->>'plan') FROM events e JOIN persons p ON p.id = e.person_id`,
    `SELECT count(e."$lib"), min(p.properties->>'plan') FROM events e JOIN persons p ON p.id = e.person_id`,
  ],
  [
    `WITH recent AS (SELECT * FROM events WHERE timestamp > now() - INTERVAL 1 DAY) SELECT max(properties->>'$os') FROM recent`,
    `WITH recent AS (SELECT * FROM events WHERE timestamp > now() - INTERVAL 1 DAY) SELECT max("$os") FROM recent`,
  ],
  [
    `SELECT max(x.properties->>'$os') FROM (SELECT *, 1 AS one FROM events) AS x`,
    `SELECT max(x."$os") FROM (SELECT *, 1 AS one FROM events) AS x`,
  ],
  [
    `SELECT (SELECT max(e.properties->>'$os') FROM persons WHERE id = e.person_id) AS os FROM events e`,
    `SELECT (SELECT max(e."$os") FROM persons WHERE id = e.person_id) AS os FROM events e`,
  ],
  [
    `SELECT max(properties->>'$os') FROM events UNION ALL SELECT max(properties->>'$lib') FROM events`,
    `SELECT max("$os") FROM events UNION ALL SELECT max("$lib") FROM events`,
  ],
  [
    `SELECT count(*) FROM events WHERE event IN (SELECT properties->>'$os' FROM events)`,
    `SELECT count(*) FROM events WHERE event IN (SELECT "$os" AS "(properties ->> '$os')" FROM events)`,
  ],
])('reads from the column: %s', async (sql, edited) => {
  expect(await edit(sql)).toBe(edited)
})

test.each([
  ['a property without a column', `SELECT max(properties->>'plan') FROM events`],
  ['properties of persons', `SELECT max(properties->>'utm_source') FROM persons`],
  ['properties that two tables have', `SELECT max(properties->>'utm_source') FROM events, persons`],
  ['something deeper', `SELECT max(properties->>'$.utm_source.a') FROM events`],
  ['JSON, which has types', `SELECT max((properties->'utm_source')::VARCHAR) FROM events`],
  ['a path that is computed', `SELECT max(properties->>('utm_' || 'source')) FROM events`],
  [
    'a CTE named events',
    `WITH events AS (SELECT '{}'::JSON AS properties) SELECT max(properties->>'utm_source') FROM events`,
  ],
  [
    'a star with a replaced column',
    `SELECT max(properties->>'utm_source') FROM (SELECT * REPLACE ('{}'::JSON AS properties) FROM events)`,
  ],
  [
    'a column that is defined again',
    `SELECT max(properties->>'utm_source') FROM (SELECT *, 'x' AS utm_source FROM events)`,
  ],
  ['renamed columns', `SELECT max(properties->>'utm_source') FROM events AS e(properties)`],
  [
    'an alias of another column',
    `SELECT upper(event)::JSON AS properties FROM events ORDER BY properties->>'utm_source'`,
  ],
  [
    'a parameter of a lambda',
    `SELECT list_transform([properties], properties -> properties->>'utm_source') FROM events`,
  ],
  ['a comment inside', `SELECT max(properties /* of the event */ ->> 'utm_source') FROM events`],
])('leaves %s as it is', async (_what, sql) => {
  expect(await edit(sql)).toBe(sql)
})

test.each([
  [`SELECT max(properties->>'$price') FROM events`, `SELECT max(properties->>'$."$price"') FROM events`],
  [
    `SELECT properties->'$a'->>'$feature/it''s', 12345678901234567890123 FROM persons`,
    `SELECT properties->'$."$a"'->>'$."$feature/it''s"', 12345678901234567890123 FROM persons`,
  ],
  [`SELECT json_exists(properties, '$price') FROM events`, `SELECT json_exists(properties, '$."$price"') FROM events`],
])('repairs a path that is the name of a property: %s', async (sql, edited) => {
  expect(await edit(sql)).toBe(edited)
})

test.each(['$', '$.a', '$[0]', '$."a"', '$.*', '$[*].a', '/a/b', 'a'])('leaves the path %s as it is', async (path) => {
  const sql = `SELECT max(properties->>'${path}') FROM events`
  expect(await edit(sql)).toBe(sql)
})

const openStore = async (): Promise<EventStore> => {
  const store = await openDuckDbStore({
    file: join(createTempFolder(), '2.duckdb'),
    deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
    ...LIMITS,
  })
  onTestFinished(() => store.close())
  return store
}

test('a column has the same value as the JSON, for every type of value', async () => {
  const store = await openStore()
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }))
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 3 }),
    fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.boolean()), { maxKeys: 3 }),
  )
  const properties = fc.dictionary(fc.constantFrom(...HOT_PROPERTIES), value, { maxKeys: HOT_PROPERTIES.length })
  const samples = fc.sample(properties, { numRuns: 400, seed: 1 })
  await store.commit(batchOf(samples.map((sample, n) => storedEvent(n, { properties: JSON.stringify(sample) }))))
  for (const name of HOT_PROPERTIES) {
    const differences = await select(
      store,
      `SELECT properties->>'${name}' AS "column", json_extract_string(properties, concat('$."', '${name}', '"')) AS json
        FROM events WHERE "column" IS DISTINCT FROM json`,
    )
    expect(differences).toEqual([])
  }
})

test.each([
  `properties->>'utm_source'`,
  `events.properties ->> '$.utm_source'`,
  `json_extract_string(properties, 'utm_source')`,
  `JSON_EXTRACT_STRING(events.properties, '$."utm_source"')`,
  `events."properties"->>'utm_source'`,
  `Events.Properties->>'utm_source'`,
  `main.json_extract_string(properties, 'utm_source')`,
])('the result of %s has the same name as without the edit', async (expression) => {
  await connection.run('CREATE OR REPLACE TABLE events (properties JSON, utm_source VARCHAR)')
  const sql = `SELECT ${expression} FROM events`
  const namesOf = async (query: string) => (await connection.run(query)).columnNames()
  expect(await namesOf(await edit(sql))).toEqual(await namesOf(sql))
})

test('a query keeps the names of its columns', async () => {
  const store = await openStore()
  await store.commit(batchOf([storedEvent(1, { properties: '{"$browser":"Firefox","$price":3}' })]))
  const query = (sql: string) => store.query({ sql, timeoutMs: 10_000, maxRows: 10 })
  expect(await query(`SELECT properties->>'$."$browser"', event FROM events`)).toMatchObject({
    columns: [`(properties ->> '$."$browser"')`, 'event'],
    rows: [['Firefox', 'a']],
  })
  expect((await query(`SELECT e.properties->>'$price' AS price FROM events e`)).rows).toEqual([['3']])
  await expect(query(`SELECT properties->>'$browser' FROM events WHERE unknown = 1`)).rejects.toMatchObject({
    code: 'invalid',
  })
})
