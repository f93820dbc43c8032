/**
 * The statements that replace `date_trunc` for one query: of a TIMESTAMPTZ, DuckDB computes it with the ICU library, for any time
 * zone. The zone is UTC here (`openInstance`), in which a TIMESTAMP is the same and takes a tenth of the time. Units of one length
 * are a division of the microseconds since 1970, which takes two thirds of that.
 *
 * @param functions The functions that the query calls, in lower case.
 */
export const createDateTruncMacros = (functions: ReadonlySet<string>): readonly string[] =>
  [...DATE_TRUNC_NAMES]
    .filter((name) => functions.has(name))
    .map(
      (name) => `CREATE OR REPLACE TEMP MACRO ${name}
      (part VARCHAR, x TIMESTAMPTZ) AS CASE ${DIVISIONS.join(' ')} ELSE ${OF_TIMESTAMP} END,
      ${OTHER_TYPES.map((type) => `(part VARCHAR, x ${type}) AS system.main.date_trunc(part, x)`).join(', ')}`,
    )

export const DATE_TRUNC_NAMES: ReadonlySet<string> = new Set(['date_trunc', 'datetrunc'])

const OTHER_TYPES = ['TIMESTAMP', 'DATE', 'INTERVAL']

const HOUR_US = 3_600_000_000

/** Units of one length in microseconds. `shift` is how long the unit with the start of 1970, a Thursday, has lasted then. */
const UNITS = [
  { name: 'hour', length: HOUR_US, shift: 0 },
  { name: 'day', length: 24 * HOUR_US, shift: 0 },
  { name: 'week', length: 7 * 24 * HOUR_US, shift: 3 * 24 * HOUR_US },
]

/** DuckDB drops the cases of other units when it plans the query. The remainder of a time before 1970 would be negative. */
const DIVISIONS = UNITS.map(
  ({ name, length, shift }) =>
    `WHEN lower(part) = '${name}' AND epoch_us(x) >= 0 THEN make_timestamptz(epoch_us(x) - (epoch_us(x) + ${shift}) % ${length})`,
)

/** An infinite time has no microseconds. */
const OF_TIMESTAMP =
  'coalesce(make_timestamptz(epoch_us(system.main.date_trunc(part, make_timestamp(epoch_us(x))))), system.main.date_trunc(part, x))'
