import { utf8Length } from '../codec/utf8.ts'
import type { StoreRecord } from '../port/event-store.ts'

/**
 * The longest run of records, from the first, that one request may carry: at most `maxEvents` of them and `maxBytes` of JSON. A single
 * record that is larger than `maxBytes` goes alone.
 */
export function takeBatch(
  records: readonly StoreRecord[],
  maxEvents: number,
  maxBytes: number,
): readonly StoreRecord[] {
  let bytes = 0
  let taken = 0
  while (taken < records.length && taken < maxEvents) {
    bytes += utf8Length(records[taken]!.value)
    if (taken && bytes > maxBytes) break
    taken++
  }
  return records.slice(0, taken)
}

/** The body of `POST /batch/` around events that are JSON already. */
export function batchBody(
  apiKey: string,
  records: readonly StoreRecord[],
  sentAt: string,
  isHistorical: boolean,
): string {
  const head = `{"api_key":${JSON.stringify(apiKey)},"batch":[`
  return `${head}${records.map((record) => record.value).join()}],"sent_at":"${sentAt}"${isHistorical ? ',"historical_migration":true' : ''}}`
}
