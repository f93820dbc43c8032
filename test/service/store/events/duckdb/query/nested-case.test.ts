import { describe, expect, it } from 'vitest'
import { countComparisons } from '../../../../../../src/service/store/events/duckdb/query/nested-case.ts'

describe('the comparisons of CASE', () => {
  it.each([
    ['SELECT 1', 0],
    ['SELECT CASE x WHEN 1 THEN 2 END', 1],
    ['SELECT case x when 1 then 2 When 2 THEN 3 ELSE 4 END + CASE WHEN y THEN 1 END', 3],
    ['SELECT CASE CASE x WHEN 1 THEN 2 WHEN 2 THEN 3 END WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 3 THEN 4 END', 9],
    ['SELECT CASE x WHEN 1 THEN CASE y WHEN 1 THEN 2 END WHEN CASE z WHEN 1 THEN 2 END THEN 3 END', 4],
    ["SELECT 'case when', \"case\", E'\\' case when', $$ case when $$, $a$ case $$ when $a$ -- case when", 0],
    ['SELECT /* case when\n -- */ CASE x WHEN 1 THEN 2 END', 1],
    ["SELECT 'it''s case', lower_case, whenever, end", 0],
    ['SELECT 1 AS a$$, CASE x WHEN 1THEN 2END + CASE x WHEN 1.THEN 2.END', 2],
    ["SELECT /* /* */ ' */ CASE x WHEN 1 THEN 2 END", 1],
    ['SELECT CASE x.end + y.when WHEN 1 THEN 2 WHEN 2 THEN 3 END', 2],
    ['SELECT CASE (SELECT CASE x WHEN 1 THEN 2 WHEN 2 THEN 3 END AS end) WHEN 1 THEN 2 END', 3],
    ["SELECT E'a' -- '\n  \n'\\'' , CASE x WHEN 1 THEN 2 END -- '", 1],
    ["SELECT 'a'\n'\\', CASE x WHEN 1 THEN 2 END -- '", 1],
    ["SELECT $\u00a0$ ' $\u00a0$, CASE x WHEN 1 THEN 2 END -- '", 1],
    ["SELECT $\u200c_$ ' $\u200c_$, CASE x WHEN 1 THEN 2 END -- '", 1],
    ['SELECT CASE x WHEN 1 THEN 2', 0],
    ['END WHEN CASE', 0],
  ])('%s: %i', (sql, count) => {
    expect(countComparisons(sql)).toBe(count)
  })

  it.each([
    "'",
    '"',
    '/* ',
    '$$',
    '$a$ $b$ ',
    "e'",
    "e'\\'",
    "e''\n",
    "e'' --",
    "e''--\n''",
    '-- ',
    'case ',
    'when case ',
  ])('are counted in SQL of any length: many %s', (part) => {
    expect(countComparisons(`SELECT ${part.repeat(1_000_000)}`)).toBeGreaterThanOrEqual(0)
  })
})
