import type { DuckDBConnection } from '@duckdb/node-api'
import type { StoredTimes } from './recent-uuids.ts'

/** A range of times in uuids of version 7, in milliseconds since 1970. */
interface UuidTimes {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly before: number
}

/** The times in a uuid have 48 bits. */
const END_OF_TIMES = 2 ** 48

const DAY_MS = 86_400_000

/** How far back the last time is sought at first, so that most groups of rows are not read: they are about in the order of time. */
const SPANS_MS = [DAY_MS, 100 * DAY_MS, Infinity]

/** Most seconds of clocks that are ahead; the list of more is not worth its memory. */
const MAX_SECONDS = 10_000

/**
 * Implements `PackedStore.readStoredTimes`.
 *
 * @param now Milliseconds since 1970. Later times are those of clocks that are ahead.
 */
export const readStoredTimes = async (connection: DuckDBConnection, now: number): Promise<StoredTimes> => {
  const read = async (sql: string): Promise<number[]> =>
    (await connection.runAndReadAll(sql)).getRows().flatMap(([time]) => (time == null ? [] : [Number(time)]))
  const readLast = (times: UuidTimes): Promise<number[]> => read(`SELECT max(ms) FROM ${selectTimes(times)}`)
  const later = { from: now + 1, before: END_OF_TIMES }
  const laterSeconds = await read(
    `SELECT DISTINCT ms // 1000 FROM ${selectTimes(later)} WHERE ms IS NOT NULL LIMIT ${MAX_SECONDS + 1}`,
  )
  if (laterSeconds.length > MAX_SECONDS) return { through: (await readLast(later))[0]!, laterSeconds: [] }
  for (const spanMs of SPANS_MS) {
    const [last] = await readLast({ from: Math.max(0, now - spanMs), before: now + 1 })
    if (last !== undefined) return { through: last, laterSeconds }
  }
  return { through: -Infinity, laterSeconds }
}

/**
 * The times in the uuids of version 7, null for others: in a CASE, because DuckDB may look at the time first, which fails for other
 * versions. DuckDB reads the 48 bits with a sign. The bounds are uuids, of which DuckDB knows the least and the greatest of each group of rows.
 */
const selectTimes = ({ from, before }: UuidTimes): string =>
  `(SELECT CASE WHEN uuid_extract_version(uuid) = 7
    THEN (epoch_ms(uuid_extract_timestamp(uuid)) + ${END_OF_TIMES}) % ${END_OF_TIMES} END AS ms FROM internal.events
    WHERE uuid >= '${firstUuidAt(from)}' ${before < END_OF_TIMES ? `AND uuid < '${firstUuidAt(before)}'` : ''})`

const firstUuidAt = (time: number): string => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
