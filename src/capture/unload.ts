import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import { UNLOAD_MAX_BYTES } from '../wire/limits.ts'
import { takeBatch } from './batch.ts'
import { SYNC_MAX } from './encode.ts'
import type { EncodedBody } from './encoded-body.ts'
import { readList } from './stored-list.ts'

/** Begins the keys of spills: events that lie in the page's synchronous storage from one page to the next, because nothing else holds them. */
export const SPILL = 'spill'

/**
 * All keys of spills. A page writes the one of the last digit of its tab's id: a browser that ends shows one process late what another has written,
 * and pages that go away together would overwrite each other's events.
 */
export const SPILLS: readonly string[] = Array.from('0123456789abcdef', (digit) => SPILL + digit)

/** Most characters that events may take in the synchronous storage between two pages. */
export const SPILL_MAX: number = 256 * 1024

/** Room for the envelope around the events of a beacon. */
const ENVELOPE_MAX = 512

/** What goes out without the page; whether it arrives is never known. */
export interface Taken {
  readonly keys: readonly string[]
  readonly bytes: number
}

/**
 * Hands events to the browser for sending after the page is gone: as many, from the first, as are compressed in 20 ms and as its budget
 * takes.
 *
 * @param taken What goes out without the page already.
 * @param encode Makes the body around these events.
 * @param send Hands it over; false when the platform refuses.
 * @returns What goes out without the page now.
 */
export const sendBeacon = (
  records: readonly StoreRecord[],
  taken: Taken,
  encode: (batch: readonly StoreRecord[]) => EncodedBody,
  send: (body: EncodedBody, batch: readonly StoreRecord[]) => boolean,
): Taken => {
  let batch = takeBatch(records, SYNC_MAX - ENVELOPE_MAX)
  for (; batch.length; batch = batch.slice(0, batch.length >> 1)) {
    const body = encode(batch)
    const bytes = taken.bytes + body.bytesAfter
    if (bytes <= UNLOAD_MAX_BYTES && send(body, batch))
      return { keys: [...taken.keys, ...batch.map(({ key }) => key)], bytes }
  }
  return taken
}

/**
 * Adds events to what waits in the synchronous storage for the next page, in the order given, as far as `SPILL_MAX` and the platform let it; one that
 * does not fit is passed over.
 *
 * @returns the events that found no place.
 */
export const writeSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): readonly StoreRecord[] => {
  const earlier = readSpill(storage, key)
  let room = SPILL_MAX
  for (const { value } of earlier) room -= value.length
  const kept = records.filter(({ value }) => {
    const fits = value.length <= room
    if (fits) room -= value.length
    return fits
  })
  while (kept.length && !setSpill(storage, key, [...earlier, ...kept])) kept.length >>= 1
  return records.filter((record) => !kept.includes(record))
}

/** Takes events that the store holds by now out of the spill; what another page has added meanwhile stays. */
export const shrinkSpill = (storage: KeyValue, key: string, moved: readonly StoreRecord[]): void => {
  const gone = new Set(moved.map((record) => record.key))
  const rest = readSpill(storage, key).filter((record) => !gone.has(record.key))
  if (rest.length) setSpill(storage, key, rest)
  else storage.remove(key)
}

/** Reads the spill. */
export const readSpill = (storage: KeyValue, key: string): readonly StoreRecord[] => {
  const spill = readList(storage, key) as readonly (readonly [string, string])[]
  return spill.map(([key, value]) => ({ key, value }))
}

const setSpill = (storage: KeyValue, key: string, records: readonly StoreRecord[]): boolean =>
  storage.set(key, JSON.stringify(records.map(({ key, value }) => [key, value])))
