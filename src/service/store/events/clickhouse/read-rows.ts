import type { ClickHouseClient } from '@clickhouse/client'

/** Default of the longest time of a SELECT, so that a server that is gone without a word is not waited for until TCP gives up. */
export const MAX_READ_MS = 30_000

/**
 * Runs a SELECT of the store itself, which has a short answer.
 *
 * @param maxMs Default: 30 s.
 */
export const readRows = async <Row extends readonly unknown[]>(
  client: ClickHouseClient,
  query: string,
  maxMs: number = MAX_READ_MS,
): Promise<readonly Row[]> => {
  const answer = await client.query({
    query,
    format: 'JSONCompactEachRow',
    abort_signal: AbortSignal.timeout(maxMs),
  })
  return answer.json()
}
