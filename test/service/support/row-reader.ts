import type { JsonObject } from '../../../src/wire/json.ts'
import type { ParsedEvent, RowOptions } from '../../../src/service/indexer/read-row.ts'
import { toObject } from '../../../src/service/json/json-members.ts'
import { readRow } from '../../../src/service/indexer/read-row.ts'

/** An event whose properties are parsed. */
export interface ReadEvent extends Omit<ParsedEvent, 'event'> {
  readonly event: Omit<ParsedEvent['event'], 'properties'> & { readonly properties: JsonObject }
}

/** Creates a function that reads batches like the indexer. It throws if a row is unreadable. */
export const createRowReader =
  (options: RowOptions) =>
  (
    events: readonly unknown[],
    { address, request }: { address: string | null; request?: object | undefined },
  ): ReadEvent[] => {
    const body = Buffer.from(JSON.stringify({ api_key: 'key', ...request, batch: events }))
    const row = { id: 1, projectId: 1, receivedAt: 1_700_000_000_000, address, form: '{}', body }
    return [...readRow(row, 0, options)].map((event) => {
      if ('reason' in event) throw new Error(event.reason)
      return parsed(event)
    })
  }

const parsed = (event: ParsedEvent): ReadEvent => ({
  ...event,
  event: { ...event.event, properties: toObject(event.event.properties) },
})
