import type { ClickHouseClient } from '@clickhouse/client'

/** Longest time of a SELECT, so that a server that is gone without a word is not waited for until TCP gives up. */
const MAX_READ_MS = 30_000

/** Runs a SELECT of the store itself, which has a short answer. */
export const readRows = async <Row extends readonly unknown[]>(
  client: ClickHouseClient,
  query: string,
): Promise<readonly Row[]> => {
  const answer = await client.query({
    query,
    format: 'JSONCompactEachRow',
    abort_signal: AbortSignal.timeout(MAX_READ_MS),
  })
  return answer.json()
}
