import type { ClickHouseClient } from '@clickhouse/client'
import type { DaySum, EventSums } from '../event-sums.ts'
import { readRows } from './read-rows.ts'

/** Longest time of a SELECT, which reads all events of a partition. */
export const MAX_SUM_MS = 600_000

/** The hash of an event, as `createEventSums` computes it. */
const HASH = `reinterpretAsUInt64(substring(SHA256(concat(toString(uuid), '\\0', event, '\\0', distinct_id, '\\0',
  toString(toUnixTimestamp64Milli(timestamp)), '\\0', toString(toUnixTimestamp64Milli(received_at)), '\\0',
  if(historical, '1', '0'), '\\0', properties)), 1, 8))`

/** Adds up the events of a project's database. */
export const sumEvents = async (client: ClickHouseClient): Promise<EventSums> => {
  const sums = new Map<number, DaySum>()
  const months = await readRows<[number]>(client, `SELECT DISTINCT ${MONTH} FROM stored_events`, MAX_SUM_MS)
  for (const [month] of months) {
    const rows = await readRows<readonly [string, string, string]>(
      client,
      `SELECT intDiv(toUnixTimestamp64Milli(timestamp), 86400000) AS day, count(), toString(sum(${HASH}))
        FROM stored_events FINAL WHERE ${MONTH} = ${month} GROUP BY day`,
      MAX_SUM_MS,
    )
    for (const [day, count, hash] of rows) {
      const sum = sums.get(Number(day))
      sums.set(Number(day), {
        count: (sum?.count ?? 0) + Number(count),
        hash: BigInt.asUintN(64, (sum?.hash ?? 0n) + BigInt(hash)),
      })
    }
  }
  return sums
}

/** By which events are in partitions, so that each SELECT reads one of them. */
const MONTH = "toYYYYMM(toDateTime(uuid_hour * 3600, 'UTC'))"
