import type { DuckDBConnection } from '@duckdb/node-api'
import { uuidRanges } from '../uuid-ranges.ts'
import { appendPackedRows } from './rows/append-rows.ts'
import type { PackedRows } from './rows/packed-rows.ts'
import { MAX_PACKED_ROWS } from './rows/packed-rows.ts'
import { toUuid, UUID_WORDS, uuidTimes } from './rows/uuid-words.ts'

/** The table of `findStored`, for the connection that it uses. */
export const CHECKED_UUIDS_STAGING = 'CREATE TEMP TABLE checked_uuid (uuid UUID, place INTEGER)'

const CHECKED_UUIDS = { catalog: 'temp', schema: 'main', table: 'checked_uuid' }

/** Uuids up to which they are written into the SELECT: to put a few into a table takes as long as to find them. */
const MAX_WRITTEN_UUIDS = 16

/** Implements `PackedStore.findStored`. */
export const findStored = async (
  connection: DuckDBConnection,
  uuids: Uint32Array<ArrayBuffer>,
): Promise<readonly number[]> => {
  const count = uuids.length / UUID_WORDS
  if (count === 0) return []
  return count <= MAX_WRITTEN_UUIDS ? findFew(connection, uuids) : findMany(connection, uuids)
}

const findFew = async (connection: DuckDBConnection, uuids: Uint32Array): Promise<readonly number[]> => {
  const written = Array.from({ length: uuids.length / UUID_WORDS }, (_, place) => toUuid(uuids, place))
  const list = written.map((uuid) => `'${uuid}'::UUID`).join(', ')
  const result = await connection.runAndReadAll(`SELECT uuid::VARCHAR FROM internal.events WHERE uuid IN (${list})`)
  const stored = new Set(result.getRows().map(([uuid]) => uuid))
  return written.flatMap((uuid, place) => (stored.has(uuid) ? [place] : []))
}

const findMany = async (connection: DuckDBConnection, uuids: Uint32Array<ArrayBuffer>): Promise<readonly number[]> => {
  // First, because an earlier call may have failed before its end.
  await connection.run('TRUNCATE temp.checked_uuid')
  await appendPackedRows(connection, CHECKED_UUIDS, packPlaces(uuids))
  const ranges = uuidRanges(uuidTimes(uuids))
  const selects = ranges.map(
    (_, index) => `SELECT place FROM internal.events AS stored JOIN temp.checked_uuid AS checked USING (uuid)
      WHERE stored.uuid BETWEEN $${index * 2 + 1}::UUID AND $${index * 2 + 2}::UUID`,
  )
  const bounds = ranges.flatMap((range) => [range.low, range.high])
  const result = await connection.runAndReadAll(selects.join(' UNION ALL '), bounds)
  return result.getRows().map(([place]) => Number(place))
}

/** Rows of a uuid and its place. */
const packPlaces = (uuids: Uint32Array<ArrayBuffer>): PackedRows[] => {
  const count = uuids.length / UUID_WORDS
  const packed: PackedRows[] = []
  for (let start = 0; start < count; start += MAX_PACKED_ROWS) {
    const rowCount = Math.min(MAX_PACKED_ROWS, count - start)
    const words = uuids.slice(start * UUID_WORDS, (start + rowCount) * UUID_WORDS)
    const places = Int32Array.from({ length: rowCount }, (_, row) => start + row)
    packed.push({
      rowCount,
      text: NO_TEXT,
      columns: [
        { type: 'UUID', bytes: new Uint8Array(words.buffer), validity: null },
        { type: 'INTEGER', bytes: new Uint8Array(places.buffer), validity: null },
      ],
    })
  }
  return packed
}

const NO_TEXT = new Uint8Array()
