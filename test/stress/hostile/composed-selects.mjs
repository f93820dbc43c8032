import { listed, nested } from './sql-text.mjs'

/** @import { HostileSelect } from './hostile-selects.mjs' */

// SELECTs that are composed: a heavy value at each place of a query, an aggregate over each source, and shapes in several sizes.

/** Values of a number `n` that take much time or memory, or are refused, by what they use. */
const VALUES = {
  'a repeated text': "repeat('x', 100000 + n)",
  'a text of 50 KB': "rpad(n::VARCHAR, 50000, 'y')",
  'a long list': 'range(n, n + 5000)',
  'a joined list': 'range(n, n + 2000) + range(n, n + 2000)',
  'a list of texts': "list_transform(range(n, n + 500), x -> 'x' || x)",
  'a filtered list': 'list_filter(range(n, n + 2000), x -> x % 7 = 1)',
  'a reduced list': 'list_reduce(range(n, n + 2000), (a, b) -> a + b)',
  'a sorted list': 'list_sort(list_transform(range(n, n + 2000), x -> hash(x)))',
  'an aggregate of a list': "list_aggregate(range(n, n + 5000), 'histogram')",
  'a split text': "string_split(repeat('a,', 2000), ',')",
  'a regular expression': "regexp_replace(repeat('ab', 2000) || n, '(a|b)*c', 'x', 'g')",
  'a regular expression with many groups': `regexp_extract(repeat('a', 500) || n, '${'(a?)'.repeat(50)}${'a'.repeat(50)}')`,
  'a comparison of texts': "levenshtein(repeat('a', 90) || n, repeat('b', 90))",
  'a map': 'map_from_entries(list_transform(range(n, n + 500), x -> {k: x, v: hash(x)}))',
  'a struct of lists': '{a: range(n, n + 1000), b: range(n, n + 1000)}',
  'a JSON text': 'to_json(range(n, n + 1000))::VARCHAR',
  'a JSON path': "json_extract(to_json({a: range(n, n + 500)}), '$.a[*]')",
  'a cast': 'range(n, n + 2000)::VARCHAR::JSON::VARCHAR',
  'a large number': '(n::HUGEINT * 170141183460469231)::DOUBLE ** 10',
  'a time series':
    "range(TIMESTAMP '2000-01-01', TIMESTAMP '2000-01-01' + to_hours(n::INTEGER % 900), INTERVAL 1 HOUR)",
  'a random value': 'list_transform([n, n], x -> random())',
}

/** Where a value stands. The value is of `n`, a column of a table that has `n`. */
const PLACES = {
  'in the result': (value) => `SELECT ${value} FROM range(100000) t(n)`,
  'as a length': (value) => `SELECT max(strlen((${value})::VARCHAR)) FROM range(100000) t(n)`,
  'in WHERE': (value) => `SELECT count(*) FROM range(100000) t(n) WHERE strlen((${value})::VARCHAR) % 2 = 0`,
  'in GROUP BY': (value) => `SELECT ${value} AS v, count(*) FROM range(100000) t(n) GROUP BY 1`,
  'in HAVING': (value) => `SELECT n % 9 FROM range(100000) t(n) GROUP BY 1 HAVING max((${value})::VARCHAR) > 'a'`,
  'in ORDER BY': (value) => `SELECT n FROM range(100000) t(n) ORDER BY (${value})::VARCHAR DESC`,
  'in DISTINCT': (value) => `SELECT DISTINCT ${value} AS v FROM range(100000) t(n)`,
  'in a set operation': (value) =>
    `SELECT ${value} AS v FROM range(50000) t(n) EXCEPT SELECT ${value} FROM range(25000) t(n)`,
  'in a window': (value) =>
    `SELECT first_value(${value}) OVER (PARTITION BY n % 100 ORDER BY n) FROM range(100000) t(n)`,
  'in a list aggregate': (value) => `SELECT list(${value}) FROM range(100000) t(n)`,
  'in a text aggregate': (value) => `SELECT string_agg((${value})::VARCHAR, ',') FROM range(100000) t(n)`,
  'in a join': (value) =>
    `SELECT count(*) FROM range(20000) a(n) JOIN (SELECT (${value})::VARCHAR AS v FROM range(20000) t(n)) b ON b.v = a.n::VARCHAR`,
  'in a cross join': (value) =>
    `SELECT count(*) FROM (SELECT ${value} AS v FROM range(1000) t(n)) a, range(1000000) b WHERE a.v IS NOT NULL`,
  'in a materialized CTE': (value) =>
    `WITH c AS MATERIALIZED (SELECT ${value} AS v FROM range(100000) t(n)) SELECT count(*) FROM c a, c b WHERE a.v = b.v`,
  'in a recursive CTE': (value) =>
    `WITH RECURSIVE r AS (SELECT 0::BIGINT AS n, NULL::VARCHAR AS v UNION ALL SELECT n + 1, (${value})::VARCHAR FROM r) SELECT max(v) FROM r`,
  'in a correlated subquery': (value) =>
    `SELECT (SELECT max((${value})::VARCHAR || b.m) FROM range(100) b(m)) FROM range(20000) t(n)`,
  'in UNNEST': (value) => `SELECT unnest([${value}, ${value}]) FROM range(100000) t(n)`,
  'in CASE': (value) => `SELECT CASE WHEN n % 2 = 0 THEN (${value})::VARCHAR ELSE 'a' END FROM range(100000) t(n)`,
  'in PIVOT': (value) => `PIVOT (SELECT md5((${value})::VARCHAR) AS k, n FROM range(5000) t(n)) ON k USING sum(n)`,
  'in a sample': (value) => `SELECT ${value} FROM range(10000000) t(n) USING SAMPLE 50000`,
}

/** Aggregates of a number `n`. */
const AGGREGATES = {
  list: 'list(n)',
  'list in order': 'list(n ORDER BY hash(n))',
  string_agg: "string_agg(n::VARCHAR, ',')",
  'distinct count': 'count(DISTINCT hash(n))',
  histogram: 'histogram(hash(n))',
  mode: 'mode(hash(n))',
  median: 'median(hash(n))',
  quantiles: 'quantile_cont(n, [0.1, 0.5, 0.9])',
  reservoir_quantile: 'reservoir_quantile(n, 0.5, 100000)',
  approx_top_k: 'approx_top_k(hash(n), 10000)',
  'the largest': 'max(n, 100000)',
  arg_max: "arg_max(repeat('x', 500) || n, n, 10000)",
  mad: 'mad(n)',
  entropy: 'entropy(hash(n))',
  json_group_object: 'json_group_object(n, hash(n))',
  'list of structs': 'list({a: n, b: hash(n)})',
}

/** What an aggregate works on. */
const SOURCES = {
  'of many rows': (aggregate) => `SELECT ${aggregate} FROM range(100000000) t(n)`,
  'of many groups': (aggregate) => `SELECT hash(n) % 2000000 AS g, ${aggregate} FROM range(20000000) t(n) GROUP BY g`,
  'of a growing window': (aggregate) =>
    `SELECT ${aggregate.replace(/ ORDER BY hash\(n\)/, '')} OVER (ORDER BY n) FROM range(300000) t(n)`,
  'of a sliding window': (aggregate) =>
    `SELECT ${aggregate.replace(/ ORDER BY hash\(n\)/, '')} OVER (ORDER BY n ROWS BETWEEN 50000 PRECEDING AND CURRENT ROW) FROM range(300000) t(n)`,
  'of joined rows': (aggregate) =>
    `SELECT ${aggregate} FROM (SELECT a.n + b.n AS n FROM range(30000) a(n), range(30000) b(n))`,
}

/** Queries of any size, by their shape. Each size stays within the limit of the SQL's length. */
const SHAPES = {
  'UNION ALL': (size) => listed(size, (i) => `SELECT ${i} AS n`, ' UNION ALL '),
  UNION: (size) => listed(size, (i) => `SELECT ${i} AS n`, ' UNION '),
  'nested UNION': (size) => nested(size, 'SELECT 1', (inner) => `(${inner}) UNION ALL SELECT 2`),
  'nested tables': (size) => nested(size, 'SELECT event FROM events', (inner) => `SELECT event FROM (${inner}) t`),
  'nested scalar subqueries': (size) => `SELECT ${nested(size, '1', (inner) => `(SELECT ${inner})`)}`,
  'nested EXISTS': (size) =>
    `SELECT 1 WHERE ${nested(size, 'true', (inner) => `EXISTS (SELECT 1 FROM persons WHERE ${inner})`)}`,
  'nested IN': (size) =>
    nested(size, 'SELECT uuid FROM events', (inner) => `SELECT uuid FROM events WHERE uuid IN (${inner})`),
  'natural joins': (size) => `SELECT count(*) FROM ${listed(size, (i) => `persons p${i}`, ' NATURAL JOIN ')}`,
  'cross joins': (size) => `SELECT count(*) FROM ${listed(size, (i) => `range(100) t${i}(n${i})`)}`,
  'lateral joins': (size) =>
    `SELECT count(*) FROM range(9) t0(n)${listed(size, (i) => `, LATERAL (SELECT t${i}.n) t${i + 1}(n)`, '')}`,
  'a chain of CTEs': (size) =>
    `WITH ${listed(size, (i) => `c${i} AS (SELECT * FROM ${i === 0 ? 'events' : `c${i - 1}`})`)} SELECT count(*) FROM c${size - 1}`,
  'CTEs joined with themselves': (size) =>
    `WITH ${listed(Math.min(size, 30), (i) => `c${i} AS (SELECT a.n FROM ${i === 0 ? 'range(9) a(n), range(9) b(n)' : `c${i - 1} a, c${i - 1} b`})`)} SELECT count(*) FROM c${Math.min(size, 30) - 1}`,
  columns: (size) => `SELECT ${listed(size, (i) => `n + ${i}`)} FROM range(20000) t(n)`,
  aggregates: (size) => `SELECT ${listed(size, (i) => `sum(n + ${i})`)} FROM range(200000) t(n)`,
  'distinct aggregates': (size) => `SELECT ${listed(size, (i) => `count(DISTINCT n + ${i})`)} FROM range(200000) t(n)`,
  'filtered aggregates': (size) =>
    `SELECT ${listed(size, (i) => `count(*) FILTER (n = ${i})`)} FROM range(200000) t(n)`,
  windows: (size) => `SELECT ${listed(size, (i) => `sum(n) OVER (ORDER BY hash(n + ${i}))`)} FROM range(50000) t(n)`,
  'a long IN': (size) => `SELECT count(*) FROM events WHERE event IN (${listed(size, (i) => `'e${i}'`)})`,
  OR: (size) => `SELECT count(*) FROM range(200000) t(n) WHERE ${listed(size, (i) => `n = ${i}`, ' OR ')}`,
  'OR of AND': (size) =>
    `SELECT count(*) FROM range(200000) t(n) WHERE ${listed(size, (i) => `(n = ${i} AND n % 7 = 1)`, ' OR ')}`,
  LIKE: (size) =>
    `SELECT count(*) FROM range(200000) t(n) WHERE ${listed(size, (i) => `n::VARCHAR LIKE '%${i}%'`, ' OR ')}`,
  CASE: (size) => `SELECT CASE ${listed(size, (i) => `WHEN n = ${i} THEN ${i + 1}`, ' ')} END FROM range(20000) t(n)`,
  sums: (size) => `SELECT ${listed(size, () => 'n', ' + ')} FROM range(20000) t(n)`,
  texts: (size) => `SELECT ${listed(size, () => 'n::VARCHAR', ' || ')} FROM range(20000) t(n)`,
  NOT: (size) => `SELECT ${'NOT '.repeat(size)}true`,
  casts: (size) => `SELECT n${'::INTEGER::VARCHAR'.repeat(size / 2)} FROM range(20000) t(n)`,
  'nested calls': (size) =>
    `SELECT ${nested(size, 'n::VARCHAR', (inner) => `reverse(${inner})`)} FROM range(20000) t(n)`,
  'nested CASE': (size) =>
    `SELECT ${nested(size, 'n', (inner) => `CASE WHEN n > 1 THEN ${inner} END`)} FROM range(20000) t(n)`,
  'nested BETWEEN': (size) =>
    `SELECT ${nested(size, 'n', (inner) => `(${inner} BETWEEN 1 AND 2)::INTEGER`)} FROM range(20000) t(n)`,
  'nested coalesce': (size) => `SELECT ${nested(size, 'n', (inner) => `coalesce(${inner}, 1)`)} FROM range(20000) t(n)`,
  'nested lambdas': (size) =>
    `SELECT ${nested(size, '[1]', (inner, level) => `list_transform([1, 2], x${level} -> ${inner})`)}`,
  'nested lists': (size) => `SELECT ${'['.repeat(size)}n${']'.repeat(size)} FROM range(20000) t(n)`,
  'nested structs': (size) => `SELECT ${nested(size, 'n', (inner) => `{a: ${inner}}`)} FROM range(20000) t(n)`,
  'nested JSON text': (size) => `SELECT json_extract('${'['.repeat(size)}${']'.repeat(size)}'::JSON, '$[0]')`,
  'a JSON path': (size) => `SELECT properties${"->'a'".repeat(size)} FROM events`,
  subscripts: (size) => `SELECT event${'[1]'.repeat(size)} FROM events`,
  ROLLUP: (size) => `SELECT count(*) FROM range(20000) t(n) GROUP BY ROLLUP (${listed(size, (i) => `n % ${i + 2}`)})`,
  VALUES: (size) => `SELECT count(*) FROM (VALUES ${listed(size, (i) => `(${i}, 'x')`)}) t(n, s)`,
  'unnested lists': (size) => `SELECT ${listed(size, (i) => `unnest([n, ${i}])`)} FROM range(20000) t(n)`,
  'copies of columns': (size) => nested(size, 'SELECT * FROM events', (inner) => `SELECT *, * FROM (${inner}) t`),
  'doubled columns': (size) =>
    nested(size, 'SELECT n FROM range(9) t(n)', (inner) => `SELECT n + n AS n FROM (${inner}) t`),
  'sort keys': (size) => `SELECT n FROM range(20000) t(n) ORDER BY ${listed(size, (i) => `hash(n + ${i})`)}`,
  'DISTINCT ON': (size) => `SELECT DISTINCT ON (${listed(size, (i) => `n % ${i + 2}`)}) n FROM range(20000) t(n)`,
  'a long literal': (size) => `SELECT strlen('${'x'.repeat(size * 10)}')`,
  'a long regular expression': (size) => `SELECT regexp_matches(repeat('a', 900), '${'(a|b)?'.repeat(size)}c')`,
  'a pattern with many wildcards': (size) =>
    `SELECT count(*) FROM range(200000) t(n) WHERE repeat('a', 300) || n LIKE '${'%a'.repeat(size)}b'`,
}

const SIZES = [20, 140, 1000]

/**
 * Each entry of one record with each entry of another.
 *
 * @param {Readonly<Record<string, string>>} values
 * @param {Readonly<Record<string, (value: string) => string>>} places
 * @returns {HostileSelect[]}
 */
const combine = (values, places) =>
  Object.entries(values).flatMap(([what, value]) =>
    Object.entries(places).map(([where, place]) => ({ name: `${what} ${where}`, sql: place(value) })),
  )

/** @type {readonly HostileSelect[]} */
export const COMPOSED_SELECTS = [
  ...combine(VALUES, PLACES),
  ...combine(AGGREGATES, SOURCES),
  ...Object.entries(SHAPES).flatMap(([shape, create]) =>
    SIZES.map((size) => ({ name: `${shape}, ${size} times`, sql: create(size) })),
  ),
]
