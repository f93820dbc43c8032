import type { StoreRecord } from '../port/event-store.ts'
import type { Beacon } from '../port/send.ts'
import { MAX_UNLOAD_BYTES } from '../wire/limits.ts'
import { createBatchBody, takeBatch } from './batch.ts'
import { encodeSync, MAX_SYNC_LENGTH } from './encode.ts'
import type { Lz64Encoder } from './encode.ts'
import { createSendReport } from './post-events.ts'
import type { PostOptions, PostPorts } from './post-events.ts'

/** Maximum characters of the JSON around the events of a beacon: the API key, the time, and field names. */
const MAX_ENVELOPE_LENGTH = 512

export interface BeaconPorts extends PostPorts {
  readonly beacon: Beacon
  readonly supportedCompression: () => readonly string[] | undefined
  readonly lz64?: Lz64Encoder | undefined
}

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
 * @returns The earlier transfer with the events that the browser has accepted now.
 */
export const sendBeacon = (
  options: Omit<PostOptions, 'requestTimeout'>,
  { clock, plainHost, beacon, onSend, supportedCompression, lz64 }: BeaconPorts,
  records: readonly StoreRecord[],
  earlierTransfer: UnloadTransfer,
): UnloadTransfer => {
  const compression = plainHost.isSet() ? [] : supportedCompression()
  const batch = [...takeBatch(records, MAX_SYNC_LENGTH - MAX_ENVELOPE_LENGTH)]
  for (; batch.length; batch.length >>= 1) {
    const events = batch.map(([, value]) => value)
    const json = createBatchBody(options, events, clock.now())
    const { body, contentType, sizes } = encodeSync(json, compression, lz64)
    const bytes = earlierTransfer.bytes + sizes.bytesAfter
    if (bytes <= MAX_UNLOAD_BYTES && beacon(options.url, body, contentType)) {
      onSend(createSendReport(options.url, events, json, sizes), events)
      return { keys: [...earlierTransfer.keys, ...batch.map(([key]) => key)], bytes }
    }
  }
  return earlierTransfer
}
