import type { StoreRecord } from '../port/event-store.ts'
import { MAX_UNLOAD_BYTES } from '../wire/limits.ts'
import { takeBatch } from './batch.ts'
import { MAX_SYNC_LENGTH } from './encode.ts'
import type { EncodedBody } from './encoded-body.ts'

/** Room for the JSON around the events of a beacon. */
const MAX_ENVELOPE_LENGTH = 512

/** Events that are sent without the page. The page never learns whether they arrive. */
export interface UnloadTransfer {
  readonly keys: readonly string[]
  /** Bytes of the bodies. */
  readonly bytes: number
}

/**
 * Passes events to the browser, which sends them after the page is gone: as many of the first events as can be compressed in 20 ms and fit
 * the browser's limit.
 *
 * @param earlier Transfers of this page so far.
 * @param encode Encodes the body for these events.
 * @param send Passes the body to the browser; false when the browser refuses it.
 * @returns All transfers of this page.
 */
export const sendBeacon = (
  records: readonly StoreRecord[],
  earlier: UnloadTransfer,
  encode: (batch: readonly StoreRecord[]) => EncodedBody,
  send: (body: EncodedBody, batch: readonly StoreRecord[]) => boolean,
): UnloadTransfer => {
  let batch = takeBatch(records, MAX_SYNC_LENGTH - MAX_ENVELOPE_LENGTH)
  for (; batch.length; batch = batch.slice(0, batch.length >> 1)) {
    const body = encode(batch)
    const bytes = earlier.bytes + body.bytesAfter
    if (bytes <= MAX_UNLOAD_BYTES && send(body, batch))
      return { keys: [...earlier.keys, ...batch.map(({ key }) => key)], bytes }
  }
  return earlier
}
