import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'
import { readError } from './read-error.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
  await store.commit(batchOf([storedEvent(1, { properties: { plan: 'pro', tags: ['a', 'b'] } })]))
})
afterAll(() => close())

it.each([
  ["SELECT json_serialize_plan('select current_setting(''temp_directory'')', optimize := true)", 'json_serialize_plan'],
  ["SELECT json_deserialize_sql('{}')", 'json_deserialize_sql'],
  ["SELECT Current_Setting('threads')", 'current_setting'],
  ["SELECT system.main.current_setting('threads')", 'current_setting'],
  ["SELECT ('threads').current_setting()", 'current_setting'],
  ["SELECT list_transform(['threads'], x -> current_setting(x))", 'current_setting'],
  ["SELECT event FROM events ORDER BY getvariable('x')", 'getvariable'],
  ["SELECT count(*) FILTER (WHERE getenv('HOME') = '') FROM events", 'getenv'],
  ['SELECT sum(1) OVER (PARTITION BY version())', 'version'],
  ['SELECT 1 LIMIT (SELECT length(version()))', 'version'],
  ['SELECT * FROM range(length(version()))', 'version'],
  ['SELECT * FROM (VALUES (version()))', 'version'],
  ['SELECT * FROM events TABLESAMPLE 1 ROWS WHERE pg_sleep(1) IS NULL', 'pg_sleep'],
  ['SELECT sleep_ms(1000)', 'sleep_ms'],
  ["SELECT write_log('x')", 'write_log'],
  ["SELECT nextval('x')", 'nextval'],
  ['SELECT current_catalog', 'current_catalog'],
  ["SELECT list_aggregate([1], 'bitstring_agg', 0, 100000000)", 'bitstring_agg'],
  ["SELECT l.aggregate('Bitstring_Agg', 0, 100000000) FROM (SELECT [1] AS l)", 'Bitstring_Agg'],
  ["SELECT list_aggr([1], 'bitstring' || '_agg', 0, 100000000)", 'list_aggr'],
  ['SELECT bitstring_agg(n, 0, 100000000) FROM range(9) t(n)', 'bitstring_agg'],
  ['SELECT damerau_levenshtein(event, event) FROM events', 'damerau_levenshtein'],
  ['SELECT approx_top_k(event, 3) FROM events', 'approx_top_k'],
  ["SELECT list_aggregate([1], 'reservoir_quantile', 0.5)", 'reservoir_quantile'],
  ['SELECT histogram(event) OVER (ORDER BY timestamp) FROM events', 'histogram'],
  ['SELECT histogram_exact(event, [1]) OVER () FROM events', 'histogram_exact'],
  ['SELECT mad(n) OVER (ORDER BY n) FROM range(9) t(n)', 'mad'],
  ['SELECT user', 'user'],
  ['SELECT max(User) FROM events', 'User'],
  ['SELECT Current_Schema', 'Current_Schema'],
  ['SELECT current_query()', 'current_query'],
  ['SELECT system.lower(event) FROM events', 'system.lower'],
  ['DESCRIBE SELECT version()', 'version'],
  ["SELECT has_table_privilege('events', 'x')", 'has_table_privilege'],
  ['SELECT no_such_function(1)', 'no_such_function'],
  ["PIVOT (SELECT version() v) ON v IN ('1')", 'version'],
])('refuses a function by its name: %s', async (sql, name) => {
  const error = await readError(store, sql)
  expect(error.code).toBe('forbidden')
  expect(error.message).toContain(`A query may not use the function "${name}"`)
})

it.each([
  ["SELECT * FROM json_execute_serialized_sql(json_serialize_sql('select 1'))", 'json_execute_serialized_sql'],
  ["SELECT * FROM histogram_values('internal.events', 'uuid')", 'histogram_values'],
  ["SELECT * FROM repeat('x', 10)", 'repeat'],
  ['SELECT * FROM pragma_version()', 'pragma_version'],
  ["SELECT * FROM sniff_csv('x')", 'sniff_csv'],
  ['SELECT * FROM duckdb_secrets()', 'duckdb_secrets'],
  ["SELECT * FROM sql_auto_complete('select ')", 'sql_auto_complete'],
  ["SELECT * FROM which_secret('a', 'b')", 'which_secret'],
])('refuses a table function by its name: %s', async (sql, name) => {
  const error = await readError(store, sql)
  expect(error.code).toBe('forbidden')
  expect(error.message).toContain(`the table function "${name}"`)
})

it.each([
  'DESCRIBE internal.events',
  'SUMMARIZE internal.progress',
  'SHOW TABLES',
  'SHOW ALL TABLES',
  'SHOW DATABASES',
])('refuses %s', async (sql) => {
  expect((await readError(store, sql)).code).toBe('forbidden')
})

it('says where the name stands, and which one may be meant', async () => {
  expect((await readError(store, "SELECT event,\n  'ä', cuont(*) FROM events")).message).toBe(
    'A query may not use the function "cuont" (line 2, column 8). Did you mean "count"?',
  )
  expect((await readError(store, 'SELECT * FROM event')).message).toBe(
    'A query may not use the table "event" (line 1, column 15). It can read the tables events, persons, person_distinct_ids and groups.',
  )
})

it.each([
  'SELECT [1, 2][1], {a: 1}.a, (1, 2), MAP {1: 2}[1], [x * 2 FOR x IN [1, 2] IF x > 1]',
  "SELECT event || 'x', event LIKE 'a%', event ILIKE 'A%', event ~ 'a', event SIMILAR TO 'a', event GLOB 'a' FROM events",
  "SELECT extract(year FROM timestamp), timestamp AT TIME ZONE 'UTC', timestamp - INTERVAL 3 DAY, timestamp::DATE FROM events",
  "SELECT trim(event), event.upper(), position('a' IN event), substring(event FROM 1 FOR 2) FROM events",
  'SELECT count(*), count(DISTINCT event), quantile_cont(1, 0.5), percentile_cont(0.5) WITHIN GROUP (ORDER BY 1) FROM events',
  'SELECT row_number() OVER w, lag(event) OVER w, sum(1) OVER w FROM events WINDOW w AS (ORDER BY timestamp)',
  'SELECT current_date, current_timestamp, today(), now(), random() < 2, uuid()',
  "SELECT unnest(string_split('a,b', ',')), * FROM range(3), generate_series(1, 2), unnest([1])",
  "SELECT j.key FROM events, json_each(properties) j, json_tree(properties, '$.tags') t",
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r',
  "SELECT * FROM (SELECT event, 1 AS n FROM events) PIVOT (sum(n) FOR event IN ('a'))",
  'SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR n IN (a, b))',
  'SELECT event COLLATE NOCASE, event COLLATE DE FROM events ORDER BY event COLLATE DE',
  'SELECT main.lower(event), GROUPING(event) FROM main.events GROUP BY ROLLUP (event)',
  "SELECT json_group_array(event), list(event ORDER BY event), string_agg(event, ',') FROM events",
  'SELECT * FROM events ASOF JOIN persons p ON person_id = p.id AND timestamp >= created_at',
  'SELECT if(true, 1, 2), ifnull(NULL, 1), nullif(1, 2), coalesce(NULL, 1), TRY_CAST(event AS INTEGER) FROM events',
  'SELECT distinct_id AS user, count(*) FROM events GROUP BY user',
  'SUMMARIZE events',
])('runs %s', async (sql) => {
  await expect(store.query({ sql, timeoutMs: 10_000, maxRows: 100 })).resolves.toBeDefined()
})
