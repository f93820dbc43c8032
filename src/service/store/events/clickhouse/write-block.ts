import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import { quoteName } from '../../../sql/quote-clickhouse.ts'

/** Longest time of an INSERT. Then the same events are read again; if it succeeds after all, readers still see each of them once. */
const MAX_WRITE_MS = 60_000

/** Rows for a table. */
interface Rows {
  readonly table: string
  readonly columns: readonly string[]
  /** In `JSONCompactEachRow`. */
  readonly rows: Buffer
}

/**
 * Writes a block of rows with one INSERT, which ClickHouse stores as a whole or not at all in each partition. Its token is the hash of its
 * rows, so that a block that is sent again, because its answer was lost, is not stored twice.
 */
export const writeBlock = async (client: ClickHouseClient, { table, columns, rows }: Rows): Promise<void> => {
  const { stream } = await client.exec({
    query: `INSERT INTO ${quoteName(table)} (${columns.map(quoteName).join(', ')}) FORMAT JSONCompactEachRow`,
    values: Readable.from([rows], { objectMode: false }),
    abort_signal: AbortSignal.timeout(MAX_WRITE_MS),
    clickhouse_settings: {
      insert_deduplication_token: createHash('sha256').update(rows).digest('hex'),
      // Rows wait for no others, and the answer says that they are stored.
      async_insert: 0,
      // Events that come late, or with wrong clocks, are of many months.
      max_partitions_per_insert_block: '0',
    },
  })
  // It is empty, but the connection is free only at its end.
  for await (const _ of stream);
}
