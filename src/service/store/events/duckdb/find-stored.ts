import type { DuckDBConnection } from '@duckdb/node-api'
import { uuidRanges } from '../uuid-ranges.ts'
import { appendPackedRows } from './rows/append-rows.ts'
import type { PackedRows } from './rows/packed-rows.ts'
import { MAX_PACKED_ROWS } from './rows/packed-rows.ts'
import { UUID_WORDS, uuidTimes } from './rows/uuid-words.ts'

/** The table of `findStored`, for the connection that it uses. */
export const CHECKED_UUIDS_STAGING = 'CREATE TEMP TABLE checked_uuid (uuid UUID, place INTEGER)'

const CHECKED_UUIDS = { catalog: 'temp', schema: 'main', table: 'checked_uuid' }

/** Implements `PackedStore.findStored`. */
export const findStored = async (
  connection: DuckDBConnection,
  uuids: Uint32Array<ArrayBuffer>,
): Promise<readonly number[]> => {
  if (uuids.length === 0) return []
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
