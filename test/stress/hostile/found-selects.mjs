import { listed, nested } from './sql-text.mjs'

/** @import { HostileSelect } from './hostile-selects.mjs' */

// SELECTs that were found by attack: each once took gigabytes, or minutes, or ended the indexer.

/** Values that ask for more memory than a query may have, by what they grow. */
const VALUES = [
  "repeat('x', 200000)",
  "repeat('x', 100000000 + n)",
  'repeat([n], 100000000)',
  "repeat(repeat('x', 30000), 30000)",
  "lpad('x', 100000000, 'y')",
  "rpad(n::VARCHAR, 1000000, 'y')",
  'range(100000000)',
  'range(n, n + 100000000)',
  'range(0, 1000000000, n % 2 + 1)',
  'generate_series(1, 50000000)',
  "generate_series(TIMESTAMP '1000-01-01', TIMESTAMP '2026-01-01', INTERVAL 1 MINUTE)",
  "range(DATE '0001-01-01', DATE '9999-01-01', INTERVAL 1 SECOND)",
  'list_resize([n], 1000000000)',
  'array_resize([n], 1000000000, n)',
  "bitstring('1', 2000000000)",
  'bar(n, 0, 10, 100000000)',
  'equi_width_bins(0, 1000000000, 100000000, false)',
  "format('{:1000000000}', n)",
  "format('{:{}}', n, 100000000)",
  "printf('%1000000000d', n)",
  "printf('%*d', 100000000, n)",
  "replace(repeat('x', 20000), 'x', repeat('y', 20000))",
  "regexp_replace(repeat('x', 20000), 'x', repeat('y', 20000), 'g')",
  "regexp_replace(repeat('x', 20000), '(x+)', repeat('\\1', 20000))",
  "array_to_string(range(9000), repeat('x', 20000))",
  "list_aggregate(range(9000), 'string_agg', repeat('x', 20000))",
  "list_transform(range(100000000), x -> repeat('a', 1000))",
  "list_transform(range(9000), x -> repeat('a', 60000))",
  'list_transform(range(9000), x -> list_transform(range(9000), y -> x + y))',
  '[[y FOR y IN range(9000)] FOR x IN range(9000)]',
  'list_transform(range(9000), x -> range(x * 1000))',
  "string_split(repeat('x,', 50000000), ',')",
  "regexp_extract_all(repeat('x', 70000), 'x')",
  "hex(hex(hex(hex(hex(hex(hex(repeat('x', 20000))))))))",
  "bin(bin(bin(repeat('x', 9000))))",
  "url_encode(url_encode(url_encode(repeat('%', 20000))))",
  "json_pretty((repeat('[', 9000) || repeat(']', 9000))::JSON)",
  'flatten([range(9000), range(9000), range(9000), range(9000)])',
  `${"repeat('x', 20000) || ".repeat(40)}'x'`,
  `concat(${"repeat('x', 20000), ".repeat(40)}'x')`,
  "list_reduce(list_transform(range(60), x -> 'x'), (a, b) -> a || a)",
  'list_reduce(list_transform(range(40), x -> [x]), (a, b) -> a || a)',
  "concat_ws(repeat('x', 9000), 'a', 'b', 'c', repeat('x', 60000))",
  "to_base64(to_base64(repeat('x', 60000)::BLOB)::BLOB)",
]

const rowsOf = (value, rows) => `SELECT ${value} FROM range(${rows}) t(n)`

/** A value that is doubled in each of many steps. */
const doubled = (start, double, steps) => {
  const parts = Array.from({ length: steps }, (_, step) => `s${step + 1} AS (SELECT ${double('v')} AS v FROM s${step})`)
  return `WITH s0 AS (SELECT ${start} AS v FROM range(3)), ${parts.join(', ')} SELECT max(strlen(v::VARCHAR)) FROM s${steps}`
}

const AGGREGATES = [
  'list(n)',
  'list(DISTINCT n)',
  "string_agg(repeat('x', 1000), '')",
  "string_agg(n::VARCHAR || repeat('x', 1000), ',')",
  "list(n::VARCHAR || repeat('x', 1000))",
  "json_group_array(n::VARCHAR || repeat('x', 1000))",
  "json_group_object(n, repeat('x', 100))",
  'count(DISTINCT hash(n))',
  'mode(hash(n))',
  'histogram(hash(n))',
  'entropy(hash(n))',
  'max(n, 900000)',
  'first(list_value(n, n)), list(n ORDER BY hash(n))',
]

const QUERIES = [
  'SELECT hash(n), count(*), list(n) FROM range(50000000) t(n) GROUP BY 1',
  'SELECT n FROM range(100000000) t(n) ORDER BY hash(n)',
  'SELECT sum(n) OVER (ORDER BY hash(n)) FROM range(50000000) t(n)',
  'SELECT list(n) OVER (ORDER BY n) FROM range(100000) t(n)',
  'SELECT DISTINCT hash(n) FROM range(100000000) t(n)',
  'SELECT a.n FROM range(1000000) a(n) JOIN range(1000000) b(n) ON a.n + b.n > 5 ORDER BY hash(a.n)',
  'SELECT unnest(range(1000000000))',
  'SELECT unnest(range(9000)), unnest(range(9000)), n FROM range(1000000) t(n) ORDER BY hash(n)',
  "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r WHERE strlen(s) < 1e12) SELECT max(strlen(s)) FROM r",
  'WITH RECURSIVE r AS (SELECT [1] AS s UNION ALL SELECT s || s FROM r) SELECT max(len(s)) FROM r',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r, range(10)) SELECT count(*) FROM r',
  `SELECT ${Array.from({ length: 50 }, (_, index) => `repeat('x', ${1500 + index}) || n AS v${index}`).join(', ')} FROM range(100000) t(n)`,
  doubled("'x'", (name) => `${name} || ${name}`, 40),
  doubled("'x'", (name) => `concat(${name}, ${name}, ${name}, ${name})`, 30),
  doubled('[1]', (name) => `list_concat(${name}, ${name})`, 40),
  doubled('[1]', (name) => `flatten([${name}, ${name}])`, 30),
  doubled("'x'", (name) => `replace(${name}, 'x', 'xxxxxxxx')`, 30),
  doubled("'\"'", (name) => `to_json(${name})::VARCHAR`, 40),
  'PIVOT (SELECT n % 200000 AS k, 1 AS v FROM range(1000000) t(n)) ON k USING sum(v)',
]

/** Queries that took minutes to plan. */
const PLANS = [
  `SELECT ${nested(30, '1', (inner) => `(SELECT ${inner})`)}`,
  `SELECT 1 WHERE ${nested(30, 'true', (inner) => `EXISTS (SELECT 1 FROM events WHERE ${inner})`)}`,
  `SELECT properties${"->'a'".repeat(30)} FROM events`,
  `SELECT count(*) FROM events e ${listed(120, (i) => `JOIN events e${i} ON e.uuid = e${i}.uuid`, ' ')}`,
  `SELECT ${listed(900, () => 'n::VARCHAR', ' || ')} FROM range(3) t(n)`,
  nested(16, 'SELECT * FROM events', (inner) => `SELECT *, * FROM (${inner}) t`),
  `SELECT ${nested(30, 'n', (inner) => `CASE ${inner} WHEN 1 THEN 2 WHEN 2 THEN 3 END`)} FROM range(3) t(n)`,
  `SELECT ${nested(30, 'n', (inner) => `nullif(${inner}, 1)`)} FROM range(3) t(n)`,
  `SELECT n AS a0, ${listed(30, (i) => `a${i} + a${i} AS a${i + 1}`)} FROM range(3) t(n)`,
]

/** @type {readonly HostileSelect[]} */
export const FOUND_SELECTS = [
  ...VALUES.flatMap((value) =>
    [1, 10_000].map((rows) => ({ name: `${value}, ${rows} rows`, sql: rowsOf(value, rows) })),
  ),
  ...AGGREGATES.map((value) => ({ name: `aggregate ${value}`, sql: `SELECT ${value} FROM range(100000000) t(n)` })),
  ...[...QUERIES, ...PLANS].map((sql) => ({ name: sql.slice(0, 100), sql })),
]
