import type { ClickHouseClient } from '@clickhouse/client'
import type { EventIdentity } from '../event-store.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { readRows } from './read-rows.ts'
import { hourOf } from './uuid-hour.ts'

/** Most uuids of one SELECT. */
const MAX_UUIDS = 10_000

/** The uuids that are stored already. The hours of the uuids say where they can be. */
export const findStored = async (
  client: ClickHouseClient,
  events: readonly EventIdentity[],
): Promise<ReadonlySet<string>> => {
  const stored = new Set<string>()
  for (let start = 0; start < events.length; start += MAX_UUIDS) {
    const uuids = events.slice(start, start + MAX_UUIDS).map(({ uuid }) => uuid)
    const hours = [...new Set(uuids.map(hourOf))]
    const query =
      `SELECT uuid FROM stored_events WHERE uuid_hour IN (${hours.join(', ')}) AND ` +
      `uuid IN (${uuids.map(quoteString).join(', ')})`
    for (const [uuid] of await readRows<[string]>(client, query)) stored.add(uuid)
  }
  return stored
}
