import type { DuckDBConnection } from '@duckdb/node-api'
import type { EventIdentity } from '../event-store.ts'
import type { UuidClaims } from '../uuid-claims.ts'
import { isTimeOrdered, uuidRanges } from '../uuid-ranges.ts'
import { appendRows } from './append-rows.ts'

/** Implements `EventStore.findDuplicates`. */
export const findDuplicates = async (
  writer: DuckDBConnection,
  claims: UuidClaims,
  events: readonly EventIdentity[],
): Promise<Set<EventIdentity>> => {
  const timeOrderedEvents = events.filter((event) => isTimeOrdered(event.uuid))
  const duplicates = new Set(claims.claim(events.filter((event) => !isTimeOrdered(event.uuid))))
  const seenUuids = await findStoredUuids(writer, [...new Set(timeOrderedEvents.map((event) => event.uuid))])
  for (const event of timeOrderedEvents) {
    if (seenUuids.has(event.uuid)) duplicates.add(event)
    else seenUuids.add(event.uuid)
  }
  return duplicates
}

const STAGED_UUID = { catalog: 'temp', schema: 'main', table: 'staged_uuid' }

const findStoredUuids = async (writer: DuckDBConnection, uuids: readonly string[]): Promise<Set<string>> => {
  if (uuids.length === 0) return new Set()
  await appendRows(writer, STAGED_UUID, [{ type: 'UUID', values: (list: readonly string[]) => list }], uuids)
  const ranges = uuidRanges(uuids)
  const selects = ranges.map(
    (_, index) => `SELECT uuid::VARCHAR FROM internal.events
      WHERE uuid BETWEEN $${index * 2 + 1}::UUID AND $${index * 2 + 2}::UUID
        AND uuid IN (SELECT uuid FROM temp.staged_uuid)`,
  )
  const bounds = ranges.flatMap((range) => [range.low, range.high])
  try {
    const result = await writer.runAndReadAll(selects.join(' UNION ALL '), bounds)
    return new Set(result.getRows().map(([uuid]) => String(uuid)))
  } finally {
    // Fails after an error in the open transaction, and must not hide it.
    await writer.run('TRUNCATE temp.staged_uuid').catch(() => undefined)
  }
}
