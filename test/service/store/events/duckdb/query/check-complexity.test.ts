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

const nested = (levels: number, start: string, wrap: (inner: string, level: number) => string): string =>
  Array.from({ length: levels }).reduce<string>((inner, _, level) => wrap(inner, level), start)

const joined = (parts: number, separator: string, part: (index: number) => string): string =>
  Array.from({ length: parts }, (_, index) => part(index)).join(separator)

/** Queries of a size, by what makes their planning take long. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  sums: (size) => `SELECT ${joined(size, ' + ', () => 'n')} FROM range(3) t(n)`,
  texts: (size) => `SELECT ${joined(size, ' || ', () => 'n::VARCHAR')} FROM range(3) t(n)`,
  calls: (size) => `SELECT ${nested(size, 'event', (inner) => `lower(${inner})`)} FROM events`,
  lists: (size) => `SELECT ${'['.repeat(size)}1${']'.repeat(size)}`,
  'scalar subqueries': (size) => `SELECT ${nested(size, '1', (inner) => `(SELECT ${inner})`)}`,
  EXISTS: (size) => `SELECT 1 WHERE ${nested(size, 'true', (inner) => `EXISTS (SELECT 1 FROM events WHERE ${inner})`)}`,
  paths: (size) => `SELECT properties${"->'a'".repeat(size)} FROM events`,
  joins: (size) => `SELECT count(*) FROM persons p${joined(size, '', (i) => ` JOIN persons p${i} ON p.id = p${i}.id`)}`,
  'joins without a condition': (size) => `SELECT count(*) FROM ${joined(size + 1, ', ', (i) => `groups g${i}`)}`,
  'lateral joins': (size) =>
    `SELECT count(*) FROM range(3) t0(n)${joined(size, '', (i) => `, LATERAL (SELECT t${i}.n) t${i + 1}(n)`)}`,
  'copies of columns': (size) => nested(size, 'SELECT * FROM persons', (inner) => `SELECT *, * FROM (${inner}) t`),
  'copies of columns by joins': (size) =>
    nested(size, 'SELECT * FROM groups', (inner) => `SELECT * FROM (${inner}) a, groups b`),
  BETWEEN: (size) => `SELECT ${nested(size, '1', (inner) => `(${inner} BETWEEN 1 AND 2)::INTEGER`)}`,
  NULLIF: (size) => `SELECT ${nested(size, '1', (inner) => `NullIf(${inner}, 2)`)}`,
  split_part: (size) => `SELECT ${nested(size, 'event', (inner) => `split_part(${inner}, 'a', 1)`)} FROM events`,
  round_even: (size) => `SELECT ${nested(size, 'n', (inner) => `Round_Even(${inner}, 1)`)} FROM range(3) t(n)`,
  'CASE in the value of CASE': (size) =>
    `SELECT ${nested(size, '1', (inner) => `CASE ${inner} WHEN 1 THEN 2 when 2 THEN 3 END`)}`,
  'two CASE of many parts': (size) =>
    `SELECT ${nested(2, '1', (inner) => `CASE ${inner} ${joined(size, ' ', () => 'WHEN 1 THEN 2')} END`)}`,
  'CASE in the results of CASE': (size) =>
    `SELECT ${nested(size, "'case case'", (inner) => `CASE 1 WHEN 1 THEN ${inner} END`)}`,
  'names of columns': (size) =>
    `SELECT n AS a0, ${joined(size, ', ', (i) => `a${i} + A${i} AS a${i + 1}`)} FROM range(3) t(n)`,
  'names in WHERE': (size) =>
    `SELECT ${joined(90, ' + ', () => 'n')} AS a FROM range(3) t(n) WHERE ${joined(size, ' OR ', (i) => `a = ${i}`)}`,
  'grouping sets': (size) =>
    `SELECT count(*) FROM events GROUP BY ROLLUP (${joined(size, ', ', (i) => `event || ${i}`)})`,
}

/** A size that is refused, and the largest or a usual one that is not. */
it.each([
  ['sums', 900, 149],
  ['texts', 900, 149],
  ['calls', 900, 149],
  ['lists', 600, 140],
  ['scalar subqueries', 30, 8],
  ['EXISTS', 30, 8],
  ['paths', 30, 10],
  ['joins', 100, 30],
  ['joins without a condition', 100, 30],
  ['lateral joins', 500, 30],
  ['copies of columns', 16, 7],
  ['copies of columns by joins', 20, 7],
  ['BETWEEN', 20, 10],
  ['NULLIF', 20, 10],
  ['split_part', 20, 10],
  ['round_even', 10, 5],
  ['CASE in the value of CASE', 30, 12],
  ['two CASE of many parts', 1_000, 100],
  ['CASE in the results of CASE', 200, 100],
  ['names of columns', 30, 10],
  ['names in WHERE', 140, 100],
  ['grouping sets', 1_000, 63],
])('refuses what takes long to plan: %s (%i, but not %i)', async (shape, refused, allowed) => {
  const { code, message } = await readError(store, SHAPES[shape]!(refused))
  expect([code, message]).toEqual(['invalid', expect.stringMatching(/^The query has more than \d+ .*: planning would/)])
  await store.query({ sql: SHAPES[shape]!(allowed), timeoutMs: 20_000, maxRows: 10 })
})
