import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { batchOf, storedEvent } from '../../../../../contract/service-event-store.ts'
import { parseOpenPivot } from '../../../../../../src/service/store/events/duckdb/query/expand-pivot.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'
import { readError } from './read-error.ts'
import { measureCpuMs } from '../../../../../support/cpu-time.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
  const events = [
    ['bought', 'pro', 3],
    ['bought', "it's", 4],
    ['signed up', 'pro', 4],
    ['bought', 'pro', 5],
  ] as const
  await store.commit(
    batchOf(
      events.map(([event, plan, day], index) =>
        storedEvent(index + 1, { event, timestamp: Date.UTC(2026, 0, day), properties: { plan } }),
      ),
    ),
  )
})
afterAll(() => close())

const run = async (sql: string) => {
  const { columns, rows } = await store.query({ sql, timeoutMs: 10_000, maxRows: 100 })
  return [columns, ...rows]
}

it.each([
  [
    'PIVOT (SELECT event FROM events) ON event USING count(*)',
    [
      ['bought', 'signed up'],
      [3, 1],
    ],
  ],
  [
    "pivot (SELECT event, properties->>'plan' AS plan FROM events) on plan using count(*) group by event order by event;",
    [
      ['event', "it's", 'pro'],
      ['bought', 1, 2],
      ['signed up', 0, 1],
    ],
  ],
  [
    '-- by day\nPIVOT (SELECT event, timestamp::DATE AS day FROM events) ON day USING count(*) GROUP BY event ORDER BY 1 LIMIT 1',
    [
      ['event', '2026-01-03', '2026-01-04', '2026-01-05'],
      ['bought', 1, 1, 1],
    ],
  ],
  [
    "PIVOT (SELECT event, properties->>'plan' AS plan FROM events) ON event IN ('bought'), plan USING count(*)",
    [
      ["bought_it's", 'bought_pro'],
      [1, 2],
    ],
  ],
  [
    '/* a /* b */ c */ PIVOT (SELECT event FROM events) ON event USING count(*) -- $$',
    [
      ['bought', 'signed up'],
      [3, 1],
    ],
  ],
  ["PIVOT (SELECT 1 AS n, $a$ ' ON $a$ AS x, e'\\' ON ' AS y) ON x, y USING sum(n)", [[" ' ON _' ON "], [1]]],
  [
    'PIVOT (SELECT event, uuid AS u FROM events) e JOIN (SELECT uuid FROM events) f ON e.u = f.uuid ON event USING count(*)',
    expect.anything(),
  ],
  ["PIVOT (SELECT 1 AS n, 'ON, USING' AS x) ON x USING sum(n)", [['ON, USING'], [1]]],
  ["PIVOT (SELECT event FROM events) ON event IN ('bought') USING count(*)", [['bought'], [3]]],
  [
    "PIVOT (SELECT event, properties FROM events) ON (properties->>'plan') USING count(*) GROUP BY event ORDER BY event",
    [
      ['event', "it's", 'pro'],
      ['bought', 1, 2],
      ['signed up', 0, 1],
    ],
  ],
  [
    'WITH e AS (SELECT event FROM events), f AS MATERIALIZED (FROM e) PIVOT f ON event USING count(*)',
    [
      ['bought', 'signed up'],
      [3, 1],
    ],
  ],
  [
    'PIVOT (SELECT event FROM events) -- source\nON event -- columns\nUSING count(*)',
    [
      ['bought', 'signed up'],
      [3, 1],
    ],
  ],
])('is one statement: %s', async (sql, expected) => {
  expect(await run(sql)).toEqual(expected)
})

it.each([
  ['forbidden', 'PIVOT internal.events ON event USING count(*)'],
  ['forbidden', 'PIVOT (SELECT event FROM events) ON event || version() USING count(*)'],
  ['forbidden', "PIVOT (SELECT event FROM events) ON event USING max(current_setting('threads'))"],
  ['not_select', 'PIVOT (SELECT event FROM events) ON event USING count(*); DROP TABLE persons'],
  ['not_select', 'SELECT * FROM (PIVOT (SELECT event FROM events) ON event USING count(*))'],
  ['invalid', 'PIVOT (SELECT n FROM range(2000) t(n)) ON n USING count(*)'],
  ['invalid', `PIVOT (SELECT 1 AS n) ON ${Array.from({ length: 17 }, () => 'n').join(', ')} USING count(*)`],
  ['forbidden', 'WITH a AS (SELECT event FROM internal.events) PIVOT a ON event USING count(*)'],
  ['invalid', 'PIVOT (SELECT event FROM events WHERE false) ON event USING count(*)'],
])('is checked like any SQL (%s): %s', async (code, sql) => {
  expect((await readError(store, sql)).code).toBe(code)
})

it.each([
  ['PIVOT nothing ON event USING count(*)', 7],
  ['PIVOT events ON event || version() USING count(*)', 26],
  ['PIVOT events ON event USING max(version())', 33],
  ['PIVOT events ON nothing USING count(*)', 17],
  ['PIVOT events ON event USING count(*) GROUP BY $plan', 47],
  ["PIVOT events ON properties->>'plan' USING count(*)", 27],
])('a mistake is shown at its place: %s', async (sql, column) => {
  expect((await readError(store, sql)).message).toContain(`(line 1, column ${column})`)
})

it.each(['$1$ ', '/* ', "e'\\'", "'", '"', '$a$ $b$', '(', 'PIVOT ', 'ON ', 'a,'])(
  'reads SQL of the greatest length in no time, even if it repeats %s',
  (part) => {
    const repeated = part.repeat(65_000 / part.length)
    const cpuMs = measureCpuMs(() => {
      for (const start of ['', 'PIVOT ', 'PIVOT a ON ', 'WITH ']) parseOpenPivot(start + repeated, 10)
    })
    expect(cpuMs).toBeLessThan(2_000)
  },
)

it.each([
  'SELECT 1 AS pivot',
  '-- PIVOT\nSELECT 1',
  '/* x */ SELECT 1',
  '',
  'WITH a AS (SELECT 1 AS n) SELECT * FROM a PIVOT (sum(n) FOR n IN (1)) JOIN a AS b ON true',
  'WITH a AS (PIVOT events ON event USING count(*)) SELECT * FROM a',
])('reads no PIVOT from %s', (sql) => {
  expect(parseOpenPivot(sql, 10)).toBe(null)
})
