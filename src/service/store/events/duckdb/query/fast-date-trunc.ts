/**
 * The statements that replace `date_trunc` for one query: of a TIMESTAMPTZ, DuckDB computes it with the ICU library, for any time
 * zone. The zone is UTC here (`openInstance`), in which a TIMESTAMP is the same and takes a tenth of the time.
 *
 * @param functions The functions that the query calls, in lower case.
 */
export const createDateTruncMacros = (functions: ReadonlySet<string>): readonly string[] =>
  NAMES.filter((name) => functions.has(name)).map(
    (name) => `CREATE OR REPLACE TEMP MACRO ${name}
      (part VARCHAR, x TIMESTAMPTZ) AS
        make_timestamptz(epoch_us(system.main.date_trunc(part, make_timestamp(epoch_us(x))))),
      ${OTHER_TYPES.map((type) => `(part VARCHAR, x ${type}) AS system.main.date_trunc(part, x)`).join(', ')}`,
  )

const NAMES = ['date_trunc', 'datetrunc']

const OTHER_TYPES = ['TIMESTAMP', 'DATE', 'INTERVAL']
