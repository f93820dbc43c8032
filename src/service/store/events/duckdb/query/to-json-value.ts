import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
} from '@duckdb/node-api'

/** Converts a value of a DuckDB result to a JSON value; see `QueryResult.rows`. */
export const toJsonValue = (value: unknown): unknown => {
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'number':
      // JSON has no infinity, and null would look like a missing value.
      return Number.isFinite(value) ? value : String(value)
    case 'object':
      return value === null ? null : convertObject(value)
    default:
      return value ?? null
  }
}

const convertObject = (value: object): unknown => {
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue)
    return toIsoString(value.micros, 1000n)
  if (value instanceof DuckDBTimestampNanosecondsValue) return toIsoString(value.nanos, 1_000_000n)
  if (value instanceof DuckDBTimestampMillisecondsValue) return toIsoString(value.millis, 1n)
  if (value instanceof DuckDBTimestampSecondsValue) return toIsoString(value.seconds * 1000n, 1n)
  if (value instanceof DuckDBDecimalValue) return convertDecimal(value)
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(toJsonValue)
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, toJsonValue(item)]))
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map(({ key, value: item }) => ({ key: toJsonValue(key), value: toJsonValue(item) }))
  }
  // Dates, times, intervals, uuids and bit strings have their own `toString`.
  return (value as { toString(): string }).toString()
}

/** A number if it has exactly the same digits, else a string: amounts of money must stay exact. */
const convertDecimal = (value: DuckDBDecimalValue): number | string => {
  const digits = value.toString()
  const trimmedDigits = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
  return String(value.toDouble()) === trimmedDigits ? value.toDouble() : digits
}

/** ISO 8601 in UTC with milliseconds; `infinity` or `-infinity` beyond the range of JavaScript's dates. */
const toIsoString = (units: bigint, unitsPerMillisecond: bigint): string => {
  const date = new Date(Number(units / unitsPerMillisecond))
  return Number.isNaN(date.getTime()) ? (units > 0n ? 'infinity' : '-infinity') : date.toISOString()
}
