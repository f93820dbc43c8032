import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { openQueryStore, readError } from './open-query-store.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openQueryStore())
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
  'list_transform(l, x -> [x] + l)',
  'list_transform(l, x -> l + l)',
])('refuses a lambda that puts what may be long into each element: %s', async (value) => {
  const { code, message } = await readError(store, `SELECT len(${value}) FROM ${LONG_LISTS} AS k`)
  expect([code, message]).toEqual(['forbidden', expect.stringContaining('into each element of a list with a lambda')])
})

it.each(['list_transform(l, x -> [x] || l)', 'list_transform(l, x -> list_concat(l, [x]))'])(
  'limits what a lambda adds to each element: %s',
  async (value) => {
    expect((await readError(store, `SELECT len(${value}) FROM ${LONG_LISTS}`)).code).toBe('memory')
  },
)

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
