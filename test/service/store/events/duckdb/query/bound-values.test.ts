import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'
import { readError } from './read-error.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
})
afterAll(() => close())

const run = async (sql: string) => (await store.query({ sql, timeoutMs: 20_000, maxRows: 100 })).rows

it.each([
  "SELECT levenshtein(repeat('x', 500) || n, repeat('y', 500)) FROM range(3) t(n)",
  "SELECT editdist3(repeat('x', 500) || n, repeat('y', 500)) FROM range(3) t(n)",
  "SELECT jaro_similarity(repeat('x', 3000) || n, repeat('y', 3000)) FROM range(3) t(n)",
  "SELECT jaro_winkler_similarity(repeat('x', 3000) || n, repeat('y', 3000)) FROM range(3) t(n)",
])('refuses to compare long texts: %s', async (sql) => {
  const { code, message } = await readError(store, sql)
  expect([code, message]).toEqual(['memory', expect.stringMatching(/may compare \d+ pairs of letters here/)])
})

it.each([
  ["SELECT levenshtein('bought', 'boguht'), editdist3('a', NULL)", [[2, null]]],
  ["SELECT round(jaro_similarity('bought', 'boguht'), 2), jaro_winkler_similarity('a', 'a', 0.5)", [[0.94, 1]]],
  ["SELECT list_filter(['firefox', 'chrome'], x -> levenshtein(x, 'fierfox') < 3)", [[['firefox']]]],
])('compares short texts: %s', async (sql, expected) => {
  expect(await run(sql)).toEqual(expected)
})

it.each([
  ['memory', `SELECT strftime(now(), '${'%c'.repeat(5_000)}')`],
  ['memory', `SELECT strftime('${'%c'.repeat(5_000)}', now())`],
  ['memory', `SELECT ${Array.from({ length: 50 }, () => `strftime(now(), '${'%c'.repeat(200)}')`).join(', ')}`],
  ['memory', `SELECT list_transform(range(9000), x -> strftime(now(), '${'%c'.repeat(50)}'))`],
  ['forbidden', "SELECT strftime(now(), repeat('%c', 40000))"],
  ['forbidden', "SELECT strftime(now(), f) FROM (SELECT '%c' AS f)"],
])('refuses a long format (%s): %s', async (code, sql) => {
  expect((await readError(store, sql)).code).toBe(code)
})

it('writes times in a format', async () => {
  const sql = `SELECT strftime(t, '%Y-%m-%d %H:%M:%S'), strftime('%Y', t), t.strftime('%B'), strftime(t::DATE, '%a'),
    list_transform([t], x -> strftime(x, '%Y-%m-%d %H:%M:%S'))
    FROM (SELECT TIMESTAMP '2026-01-31 10:00:00' AS t)`
  expect(await run(sql)).toEqual([['2026-01-31 10:00:00', '2026', 'January', 'Sat', ['2026-01-31 10:00:00']]])
})

it.each([999, 1_100, 4_000])('shares the limit of a row among %i copies of a list', async (count) => {
  const copies = Array.from({ length: count }, () => 'l').join(', ')
  const sql = `SELECT len([${copies}]) FROM (SELECT range(n, n + 9000) AS l FROM range(2) t(n))`
  expect((await readError(store, sql)).code).toBe('memory')
})

const LONG_LISTS = '(SELECT n, range(n, n + 9000) AS l, [n] AS k FROM range(4) t(n))'

it.each([
  'list_transform(l, x -> l)',
  'list_transform(l, lambda x: l)',
  '[l FOR x IN l]',
  '[l FOR x IN l IF x > 2]',
  'list_transform(l, x -> [x, l[1]])',
  'list_transform(l, x -> {x: x, l: l})',
  'list_transform(l, x -> l::INTEGER[])',
  'list_transform(l, x -> coalesce(NULL, l))',
  'list_transform(l, x -> CASE WHEN x > 1 THEN l END)',
  "list_transform(l, x -> list_aggregate(l, 'list'))",
  'list_transform(l, x -> list_resize([l], 1))',
  'list_reduce(l, (a, x) -> l[1])',
  'list_transform(l, x -> k.l)',
  'list_transform([1, 2], a -> list_transform([1, 2], b -> l))',
  'list_transform(k, a -> [l, list_transform([a], l -> l)])',
  'list_transform([1, 2], a -> list_transform([a], b -> list_transform([b], c -> [c, l[1]])))',
  `list_transform(k, x -> [x::VARCHAR, '${'x'.repeat(300)}'])`,
])('refuses a lambda that puts what may be long into each element: %s', async (value) => {
  const { code, message } = await readError(store, `SELECT len(${value}) FROM ${LONG_LISTS} AS k`)
  expect([code, message]).toEqual(['forbidden', expect.stringContaining('into each element of a list with a lambda')])
})

it.each([
  'list_transform(l, x -> [x] || l)',
  'list_transform(l, x -> list_concat(l, [x]))',
  'list_transform(l, x -> [x] + l)',
  'list_transform(l, x -> l + l)',
  'list_transform([[n], [n]], x -> x + l)',
  'list_transform([l, l], x -> x + x)',
])('limits what a lambda adds to each element: %s', async (value) => {
  expect((await readError(store, `SELECT len(${value}) FROM ${LONG_LISTS}`)).code).toBe('memory')
})

it.each([
  ['list_filter(l, x -> x > 899 - n)', [899, 900]],
  ['[x FOR x IN l IF x > 899 - n]', [899, 900]],
  ['list_transform([n, 2], x -> x || s)', ['1 s', '2 s']],
  ['list_transform(k, x -> x + n)', [1]],
  ['list_transform(k, x -> x * n + len(l))', [900]],
  ['list_transform(k, x -> left(s, 3))', [' s']],
  ['list_transform(k, x -> CASE WHEN x = n THEN 1 ELSE 0 END)', [0]],
  ['list_transform(k, x -> CAST(l[1] AS BIGINT))', [1]],
  ['list_transform([1, 2], x -> s)', [' s', ' s']],
  [
    "list_transform([s], a -> list_transform([a], b -> list_transform(string_split(b, ' '), c -> {c: c})))",
    [[[{ c: '' }, { c: 's' }]]],
  ],
])('runs an ordinary lambda: %s', async (value, expected) => {
  const sql = `SELECT ${value} FROM (SELECT n, range(n, n + 900) AS l, range(1) AS k, ' s' AS s FROM range(1, 2) t(n))`
  expect(await run(sql)).toEqual([[expected]])
})

it.each(['sum', 'max', 'list', 'histogram', 'count'])('applies an aggregate to a list: %s', async (aggregate) => {
  const calls = [
    `list_aggregate(l, '${aggregate}')`,
    `l.list_aggregate('${aggregate}')`,
    `aggregate(l, '${aggregate}')`,
  ]
  const sql = `SELECT ${calls.join(', ')} FROM (SELECT [1, 2, n] AS l FROM range(3, 4) t(n))`
  const [row = []] = await run(sql)
  expect(new Set(row.map((value) => JSON.stringify(value))).size).toBe(1)
})

it.each([
  ["list_aggregate(['a', 'b'], 'string_agg', ', ')", 'a, b'],
  ["list_aggregate([1, 2, 3], 'quantile_disc', 0.5)", 2],
  ["list_aggregate([1, 2, 3], 'quantile_disc', [0.1, 0.9])", [1, 3]],
  ["list_transform([['a', 'b']], x -> list_aggregate(x, 'string_agg', '-'))", ['a-b']],
  ["list_aggregate(list_transform(['a'], x -> repeat(x, 2)), 'first')", 'aa'],
])('gives an aggregate of a list its arguments: %s', async (value, expected) => {
  expect(await run(`SELECT ${value}`)).toEqual([[expected]])
})

it.each([
  ['memory', `list_aggregate(range(9000), 'string_agg', '${'x'.repeat(17)}')`],
  ['memory', `l.list_aggregate('string_agg', '${'x'.repeat(17)}')`],
  ['forbidden', "list_aggregate(range(9000), 'string_agg', repeat('x', 20000))"],
  ['forbidden', "list_aggr(l, 'string_agg', 'xxxxxxxxx' || 'xxxxxxxxxxxxx')"],
])('refuses a long separator between the elements of a list (%s): %s', async (code, value) => {
  expect((await readError(store, `SELECT ${value} FROM ${LONG_LISTS}`)).code).toBe(code)
})

/** A list that is joined with itself in each of many steps. */
const joinedWithItself = (steps: number): string => {
  const queries = Array.from({ length: steps }, (_, step) => `s${step + 1} AS (SELECT v + v AS v FROM s${step})`)
  return `WITH s0 AS (SELECT [n] AS v FROM range(2) t(n)), ${queries.join(', ')} SELECT max(len(v)) FROM s${steps}`
}

it.each([
  joinedWithItself(30),
  'WITH RECURSIVE r AS (SELECT [1] AS s UNION ALL SELECT s + s FROM r) SELECT max(len(s)) FROM r',
  'SELECT list_reduce(list_transform(range(40), x -> [x]), (a, b) -> a + a)',
  `SELECT len(${Array.from({ length: 140 }, () => 'l').join(' + ')}) FROM ${LONG_LISTS}`,
])('limits lists that are joined with +: %#', async (sql) => {
  expect((await readError(store, sql)).code).toBe('memory')
})

it.each([
  ['[n] + [n, 2]', [1, 1, 2]],
  ['n + 1', 2],
  ['+n', 1],
  ["DATE '2026-01-31' + n::INTEGER", '2026-02-01'],
  ["TIMESTAMP '2026-01-31' + INTERVAL 1 DAY", '2026-02-01T00:00:00.000Z'],
  ['list_transform([1, 2], x -> x + n)', [2, 3]],
  [
    'list_transform([[1], [2]], x -> x + [n])',
    [
      [1, 1],
      [2, 1],
    ],
  ],
  ['list_reduce([1, 2, 3], (a, b) -> a + b)', 6],
])('adds with +: %s', async (value, expected) => {
  expect(await run(`SELECT ${value} FROM range(1, 2) t(n)`)).toEqual([[expected]])
})

it('adds numbers of many digits in a recursion', async () => {
  const sql = `WITH RECURSIVE r AS (SELECT 1::HUGEINT AS a, 1::HUGEINT AS b, 1 AS n UNION ALL SELECT b, a + b, n + 1 FROM r WHERE n < 180)
    SELECT max(a)::VARCHAR FROM r`
  expect(await run(sql)).toEqual([['18547707689471986212190138521399707760']])
})

it.each(["list_aggregate(l, 'histogram')", 'list_distinct(l)', 'list_sort(l)'])(
  'limits the lists that a query makes for a function that keeps much for each element: %s',
  async (value) => {
    const sqlFor = (length: number) =>
      `SELECT strlen((${value})::VARCHAR) FROM (SELECT range(n, n + ${length}) AS l FROM range(3) t(n))`
    expect((await readError(store, sqlFor(1_001))).code).toBe('memory')
    expect(await run(sqlFor(999))).toHaveLength(3)
  },
)
