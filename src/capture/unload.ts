import type { Compressor } from '../port/compressor.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Beacon } from '../port/send.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_EVENTS, UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { batchBody, takeBatch } from './batch.ts'
import type { BeaconLease } from './controls.ts'
import type { SendReport } from './delivery.ts'
import { encodeSync, type Encoding } from './encode.ts'

/** Most characters that events may take in localStorage between two pages. */
export const SPILL_MAX: number = 256 * 1024

/**
 * Hands events to the browser for sending after the page is gone, as many as its budget takes, in the order given.
 *
 * @returns the keys that the browser accepted; whether they arrive is never known.
 */
export function sendBeacons(
  records: readonly StoreRecord[],
  request: { url: string; apiKey: string; sentAt: string; encoding: Encoding; historicalMigration: boolean },
  beacon: Beacon,
  compressor: Compressor,
  onSend: (report: SendReport) => void,
): readonly string[] {
  const accepted: string[] = []
  let budget = UNLOAD_MAX_BYTES
  let rest = records
  let most = BATCH_MAX_EVENTS
  while (rest.length && most) {
    const batch = takeBatch(rest, most, BATCH_MAX_BYTES)
    const json = batchBody(request.apiKey, batch, request.sentAt, request.historicalMigration)
    const { body, contentType, encoding, bytes } = encodeSync(json, request.encoding, compressor)
    if (bytes > budget || !beacon(request.url, body, contentType)) {
      most = batch.length >> 1
      continue
    }
    budget -= bytes
    accepted.push(...batch.map((record) => record.key))
    rest = rest.slice(batch.length)
    onSend({
      url: request.url,
      encoding,
      events: batch.length,
      bytesBefore: json.length,
      bytesAfter: bytes,
      status: undefined,
    })
  }
  return accepted
}

/** What waits in localStorage from a page that went away before the event store was open. */
export interface Spill extends BeaconLease {
  readonly records: readonly StoreRecord[]
}

/**
 * Adds events to the spill, in the order given, as far as `SPILL_MAX` and the platform let it.
 *
 * @returns the events that found no place.
 */
export function writeSpill(
  storage: KeyValue,
  key: string,
  records: readonly StoreRecord[],
  lease: BeaconLease,
): readonly StoreRecord[] {
  const earlier = readSpill(storage, key)
  const kept = [...earlier.records]
  let size = kept.reduce((sum, record) => sum + record.value.length, 0)
  for (const record of records) {
    size += record.value.length
    if (size > SPILL_MAX) break
    kept.push(record)
  }
  const keys = [...earlier.keys, ...lease.keys]
  for (; kept.length > earlier.records.length; kept.length = (kept.length + earlier.records.length) >> 1) {
    if (storage.set(key, JSON.stringify({ records: kept, keys, until: lease.until } satisfies Spill))) {
      return records.slice(Math.max(0, kept.length - earlier.records.length))
    }
  }
  return records
}

/** Reads the spill; a corrupt one is as good as none. */
export function readSpill(storage: KeyValue, key: string): Spill {
  try {
    const spill = JSON.parse(storage.get(key) ?? '') as Spill
    return { records: [...spill.records], keys: [...spill.keys], until: spill.until }
  } catch {
    return { records: [], keys: [], until: 0 }
  }
}
