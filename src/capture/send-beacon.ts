import type { StoreRecord } from '../port/event-store.ts'
import { MAX_UNLOAD_BYTES } from '../wire/limits.ts'
import { takeBatch } from './batch.ts'
import { MAX_SYNC_LENGTH } from './encode.ts'
import type { EncodedBody } from './encoded-body.ts'

/** Maximum characters of the JSON around the events of a beacon: the API key, the time, and field names. */
const MAX_ENVELOPE_LENGTH = 512

/** The events of requests that outlive the page. The page cannot read the responses. */
export interface UnloadTransfer {
  readonly keys: readonly string[]
  /** Bytes of the bodies. */
  readonly bytes: number
}

/**
 * Passes events to the browser, which sends them even after the page was closed. Takes as many of the first events as can be compressed in
 * 20 ms and fit the browser's limit.
 *
 * @param earlierTransfer What this page has passed to the browser so far.
 * @param encode Encodes the body for these events.
 * @param send Passes the body to the browser; false when the browser refuses it.
 * @returns The earlier transfer with the events that the browser has accepted now.
 */
export const sendBeacon = (
  records: readonly StoreRecord[],
  earlierTransfer: UnloadTransfer,
  encode: (batch: readonly StoreRecord[]) => EncodedBody,
  send: (body: EncodedBody, batch: readonly StoreRecord[]) => boolean,
): UnloadTransfer => {
  let batch = takeBatch(records, MAX_SYNC_LENGTH - MAX_ENVELOPE_LENGTH)
  for (; batch.length; batch = batch.slice(0, batch.length >> 1)) {
    const body = encode(batch)
    const bytes = earlierTransfer.bytes + body.sizes.bytesAfter
    if (bytes <= MAX_UNLOAD_BYTES && send(body, batch))
      return { keys: [...earlierTransfer.keys, ...batch.map(({ key }) => key)], bytes }
  }
  return earlierTransfer
}
