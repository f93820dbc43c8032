import { readProperty as readClickHouseProperty } from '../insight/filter/clickhouse/property-sql.ts'
import { readProperty } from '../insight/filter/sql/property-sql.ts'
import { quoteIdentifier, quoteString } from '../sql/quote.ts'
import { quoteName, quoteString as quoteClickHouseString } from '../sql/quote-clickhouse.ts'
import type { Interval } from './question.ts'

/** How drafts are written for an engine. Expressions over text give NULL for NULL, unless they say otherwise. */
export interface DraftDialect {
  readonly quoteString: (string: string) => string
  readonly quoteName: (name: string) => string
  /** Reads a property of a column of JSON objects as text. */
  readonly readProperty: (column: string, name: string) => string
  /** A text as a number; NULL for one that is not a number. */
  readonly readNumber: (text: string) => string
  readonly median: (number: string) => string
  readonly now: string
  /** The start of a day, such as `2026-01-31`, in UTC. */
  readonly writeDay: (day: string) => string
  /** The start of the unit that a time is in. */
  readonly startOf: (unit: Interval, time: string) => string
  readonly toDate: (time: string) => string
  /** TRUE for NULL, too. */
  readonly differs: (text: string, value: string) => string
  /** These ignore case. */
  readonly contains: (text: string, part: string) => string
  readonly startsWith: (text: string, part: string) => string
  readonly endsWith: (text: string, part: string) => string
}

export const duckDbDraftDialect: DraftDialect = {
  quoteString,
  quoteName: quoteIdentifier,
  readProperty: (column, name) => readProperty(column, name).text,
  readNumber: (text) => `TRY_CAST(${text} AS DOUBLE)`,
  median: (number) => `median(${number})`,
  now: 'now()',
  writeDay: (day) => `TIMESTAMPTZ '${day} 00:00:00+00'`,
  startOf: (unit, time) => `date_trunc(${quoteString(unit)}, ${time})`,
  toDate: (time) => `${time}::DATE`,
  differs: (text, value) => `${text} IS DISTINCT FROM ${value}`,
  contains: (text, part) => `contains(lower(${text}), lower(${part}))`,
  startsWith: (text, part) => `starts_with(lower(${text}), lower(${part}))`,
  endsWith: (text, part) => `suffix(lower(${text}), lower(${part}))`,
}

export const clickHouseDraftDialect: DraftDialect = {
  quoteString: quoteClickHouseString,
  quoteName,
  readProperty: (column, name) => readClickHouseProperty(column, name).text,
  readNumber: (text) => `toFloat64OrNull(${text})`,
  median: (number) => `quantileExactInclusive(0.5)(${number})`,
  now: "now('UTC')",
  writeDay: (day) => `toDateTime64('${day} 00:00:00', 3, 'UTC')`,
  // The start of a week or more is a date, which would be compared in the server's time zone.
  startOf: (unit, time) => `toDateTime(date_trunc('${unit}', ${time}), 'UTC')`,
  toDate: (time) => `toDate(${time})`,
  differs: (text, value) => `coalesce(${text} != ${value}, TRUE)`,
  contains: (text, part) => `position(lowerUTF8(${text}), lowerUTF8(${part})) > 0`,
  startsWith: (text, part) => `startsWith(lowerUTF8(${text}), lowerUTF8(${part}))`,
  endsWith: (text, part) => `endsWith(lowerUTF8(${text}), lowerUTF8(${part}))`,
}
