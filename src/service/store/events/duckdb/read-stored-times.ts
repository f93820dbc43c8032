import type { DuckDBConnection } from '@duckdb/node-api'
import type { StoredTimes } from './recent-uuids.ts'

/** The times in the uuids of version 7. */
const TIMES =
  '(SELECT epoch_ms(uuid_extract_timestamp(uuid)) AS ms FROM internal.events WHERE uuid_extract_version(uuid) = 7)'

/** Most seconds of clocks that are ahead; the list of more is not worth its memory. */
const MAX_SECONDS = 10_000

/**
 * Implements `PackedStore.readStoredTimes`.
 *
 * @param now Milliseconds since 1970. Later times are those of clocks that are ahead.
 */
export const readStoredTimes = async (connection: DuckDBConnection, now: number): Promise<StoredTimes> => {
  const read = async (sql: string, values: number[]) => (await connection.runAndReadAll(sql, values)).getRows()
  const [[past, last] = []] = await read(`SELECT max(ms) FILTER (ms <= $1), max(ms) FROM ${TIMES}`, [now])
  if (last == null) return { through: -Infinity, laterSeconds: [] }
  if (Number(last) <= now) return { through: Number(last), laterSeconds: [] }
  const rows = await read(`SELECT DISTINCT ms // 1000 FROM ${TIMES} WHERE ms > $1 LIMIT ${MAX_SECONDS + 1}`, [now])
  if (rows.length > MAX_SECONDS) return { through: Number(last), laterSeconds: [] }
  return { through: past == null ? -Infinity : Number(past), laterSeconds: rows.map(([second]) => Number(second)) }
}
