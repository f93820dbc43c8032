import type { ClickHouseClient } from '@clickhouse/client'

/** Longest time of a statement, so that a server that is gone without a word is not waited for until TCP gives up. */
const MAX_COMMAND_MS = 30_000

/** Runs a statement that returns nothing. */
export const runCommand = async (client: ClickHouseClient, query: string): Promise<void> => {
  await client.command({ query, abort_signal: AbortSignal.timeout(MAX_COMMAND_MS) })
}
