import type { ClickHouseClient } from '@clickhouse/client'

/** Longest time of a statement: see `readRows`. */
const MAX_COMMAND_MS = 30_000

/** Runs a statement that returns nothing. */
export const runCommand = async (client: ClickHouseClient, query: string): Promise<void> => {
  await client.command({ query, abort_signal: AbortSignal.timeout(MAX_COMMAND_MS) })
}
