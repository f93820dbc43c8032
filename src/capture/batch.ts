import type { StoreRecord } from '../port/event-store.ts'

/** The longest run of records, from the first, of at most `maxLength` characters of JSON, commas included. A single record that is longer goes alone. */
export const takeBatch = (records: readonly StoreRecord[], maxLength: number): readonly StoreRecord[] => {
  let room = maxLength
  const end = records.findIndex(({ value }, at) => (room -= value.length + 1) < 0 && at > 0)
  return end < 0 ? records : records.slice(0, end)
}

/** The body of `POST /batch/` around events that are JSON already. */
export const batchBody = (apiKey: string, events: readonly string[], sentAt: number, isHistorical: boolean): string => {
  const head = `{"api_key":${JSON.stringify(apiKey)},"batch":[`
  const tail = `],"sent_at":"${new Date(sentAt).toISOString()}"${isHistorical ? ',"historical_migration":true' : ''}}`
  return head + events.join() + tail
}
