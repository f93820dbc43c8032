import type { IpOptions } from '../../../src/service/indexer/ip-properties.ts'
import type { ParsedEvent } from '../../../src/service/indexer/read-row.ts'
import { readRow } from '../../../src/service/indexer/read-row.ts'

/** Creates a function that reads batches like the indexer. It throws if a row is unreadable. */
export const createRowReader =
  (ipOptions: IpOptions) =>
  (
    events: readonly unknown[],
    { address, request }: { address: string | null; request?: object | undefined },
  ): ParsedEvent[] => {
    const body = Buffer.from(JSON.stringify({ api_key: 'key', ...request, batch: events }))
    const row = { id: 1, projectId: 1, receivedAt: 1_700_000_000_000, address, form: '{}', body }
    return [...readRow(row, 0, ipOptions)].map((event) => {
      if ('reason' in event) throw new Error(event.reason)
      return event
    })
  }
