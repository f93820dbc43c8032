import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Beacon } from '../port/send.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_EVENTS, UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { batchBody, takeBatch } from './batch.ts'
import type { BeaconLease } from './controls.ts'
import type { SendReport } from './delivery.ts'
import type { EncodedBody } from './encode.ts'

/** Most characters that events may take in localStorage between two pages. */
export const SPILL_MAX: number = 256 * 1024

/** After so many refusals the beacons give up: finding one oversized event in a full batch takes seven. */
const REFUSALS_MAX = 32

/** What the beacons of one unload took along; whether it arrives is never known. */
export interface Taken {
  readonly keys: string[]
  bytes: number
}

/**
 * Hands events to the browser for sending after the page is gone, as many as its budget takes, in the order given; one that does not fit is
 * passed over.
 *
 * @param taken What the unload's beacons took before; what the browser accepts now is added.
 */
export function sendBeacons(
  records: readonly StoreRecord[],
  request: { url: string; apiKey: string; sentAt: string; historicalMigration: boolean },
  beacon: Beacon,
  encode: (json: string) => EncodedBody,
  onSend: (report: SendReport) => void,
  taken: Taken,
): void {
  let rest = records
  let most = BATCH_MAX_EVENTS
  let refusals = 0
  while (rest.length && refusals < REFUSALS_MAX) {
    const batch = takeBatch(rest, most, BATCH_MAX_BYTES)
    const json = batchBody(request.apiKey, batch, request.sentAt, request.historicalMigration)
    const { body, contentType, encoding, bytes } = encode(json)
    if (taken.bytes + bytes > UNLOAD_MAX_BYTES || !beacon(request.url, body, contentType)) {
      refusals++
      most = batch.length >> 1 || 1
      if (batch.length === 1) rest = rest.slice(1)
      continue
    }
    taken.bytes += bytes
    taken.keys.push(...batch.map((record) => record.key))
    rest = rest.slice(batch.length)
    most = Math.min(2 * most, BATCH_MAX_EVENTS)
    onSend({
      url: request.url,
      encoding,
      events: batch.length,
      bytesBefore: json.length,
      bytesAfter: bytes,
      status: undefined,
    })
  }
}

/** What waits in localStorage from a page that went away before the event store was open. */
export interface Spill extends BeaconLease {
  readonly records: readonly StoreRecord[]
}

/**
 * Adds events to the spill, in the order given, as far as `SPILL_MAX` and the platform let it; one that does not fit is passed over.
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
  const keys = [...new Set([...earlier.keys, ...lease.keys])]
  let room = SPILL_MAX
  for (const record of earlier.records) room -= record.value.length
  for (; ; room /= 2) {
    let free = room
    const kept = [...earlier.records]
    const left: StoreRecord[] = []
    for (const record of records) {
      if (record.value.length > free) left.push(record)
      else {
        free -= record.value.length
        kept.push(record)
      }
    }
    if (left.length === records.length) return records
    if (storage.set(key, JSON.stringify({ records: kept, keys, until: lease.until } satisfies Spill))) return left
  }
}

/** Takes events that the store holds by now out of the spill; what another page has added meanwhile stays. */
export function shrinkSpill(storage: KeyValue, key: string, moved: readonly StoreRecord[]): void {
  const spill = readSpill(storage, key)
  const gone = new Set(moved.map((record) => record.key))
  const records = spill.records.filter((record) => !gone.has(record.key))
  if (records.length) storage.set(key, JSON.stringify({ ...spill, records }))
  else storage.remove(key)
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
