import type { StoreRecord } from '../port/event-store.ts'

/**
 * Returns the first records that together have at most `maxLength` characters of JSON, commas included. A longer first record is a batch
 * alone.
 */
export const takeBatch = (records: readonly StoreRecord[], maxLength: number): readonly StoreRecord[] => {
  let remaining = maxLength
  const end = records.findIndex(([, value], index) => (remaining -= value.length + 1) < 0 && index > 0)
  return end < 0 ? records : records.slice(0, end)
}

export interface BatchOptions {
  readonly apiKey: string
  /** The batch is an import of historical events. */
  readonly historicalMigration?: boolean | undefined
}

/** Creates the body of `POST /batch/` from events that are JSON strings already. */
export const createBatchBody = (
  { apiKey, historicalMigration }: BatchOptions,
  events: readonly string[],
  sentAt: number,
): string =>
  // Strings alone, because a page may have a `toJSON` of its own for arrays and dates.
  `${JSON.stringify({ api_key: apiKey }).slice(0, -1)},"batch":[${events.join()}],${JSON.stringify({
    sent_at: new Date(sentAt).toISOString(),
    historical_migration: !!historicalMigration || undefined,
  }).slice(1)}`
