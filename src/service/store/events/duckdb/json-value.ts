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

/** A value of a DuckDB result as JSON can carry it; see `QueryResult.rows`. */
export const jsonValue = (value: unknown): unknown => {
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'number':
      // JSON has no word for infinity; null would pass for a missing value.
      return Number.isFinite(value) ? value : String(value)
    case 'object':
      return value === null ? null : jsonObject(value)
    default:
      return value ?? null
  }
}

const jsonObject = (value: object): unknown => {
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue)
    return moment(value.micros, 1000n)
  if (value instanceof DuckDBTimestampNanosecondsValue) return moment(value.nanos, 1_000_000n)
  if (value instanceof DuckDBTimestampMillisecondsValue) return moment(value.millis, 1n)
  if (value instanceof DuckDBTimestampSecondsValue) return moment(value.seconds * 1000n, 1n)
  if (value instanceof DuckDBDecimalValue) return decimal(value)
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonValue)
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, jsonValue(item)]))
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map(({ key, value: item }) => ({ key: jsonValue(key), value: jsonValue(item) }))
  }
  // Dates, times, intervals, uuids and bits know how they are written.
  return (value as { toString(): string }).toString()
}

/** A number where it says the same digits, else text: money must not lose its cents. */
const decimal = (value: DuckDBDecimalValue): number | string => {
  const text = value.toString()
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return String(value.toDouble()) === short ? value.toDouble() : text
}

/** ISO 8601 in UTC with milliseconds; beyond JavaScript's range (DuckDB has an infinity) as words. */
const moment = (units: bigint, perMillisecond: bigint): string => {
  const date = new Date(Number(units / perMillisecond))
  return Number.isNaN(date.getTime()) ? (units > 0n ? 'infinity' : '-infinity') : date.toISOString()
}
