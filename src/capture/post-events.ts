import { utf8Length } from '../codec/utf8.ts'
import type { Clock } from '../port/clock.ts'
import type { HostMark } from '../lib/host-mark.ts'
import type { SendRequest, SendResponse } from '../port/send.ts'
import { createBatchBody } from './batch.ts'
import type { BatchOptions } from './batch.ts'
import { classifyResponse } from './classify-response.ts'
import type { BodySizes, EncodedBody } from './encoded-body.ts'

/** Where and how events are sent. */
export interface PostOptions extends BatchOptions {
  /** URL of the batch endpoint. */
  readonly url: string
  readonly requestTimeout: number
}

export interface PostPorts {
  readonly clock: Clock
  /** Set while the host gets no compressed bodies, because it has refused one and accepted the same events without compression. */
  readonly plainHost: HostMark
  /** @param events The events of the request, as JSON. */
  readonly onSend: (report: SendReport, events: readonly string[]) => void
}

/** One request that was sent, as `onSend` gets it. */
export interface SendReport extends BodySizes {
  readonly url: string
  /** Number of events in the request. */
  readonly events: number
  /** Bytes of JSON in UTF-8 before compression. Counted when it is read. */
  readonly bytesBefore: number
  /** HTTP status; 0 without a response. Undefined for a beacon, because a page cannot read its response. */
  readonly status: number | undefined
}

/**
 * Sends events in one request, and reports it. If a compressed body is refused, the events are sent once more without compression: a proxy
 * that reads bodies as strings damages it, and so do some compressors.
 *
 * @param encode Encodes the JSON of the request. `isPlain`: without compression.
 * @param transmit Sends the request in the platform's own way. Undefined: nothing was sent, because the run must end.
 * @param isRepeated The events were refused with compression.
 */
export const postEvents = async (
  options: PostOptions,
  ports: PostPorts,
  events: readonly string[],
  encode: (json: string, isPlain: boolean) => Promise<EncodedBody>,
  transmit: (request: SendRequest, bytesAfter: number) => Promise<SendResponse | undefined>,
  isRepeated = false,
): Promise<SendResponse | undefined> => {
  const json = createBatchBody(options, events, ports.clock.now())
  const { sizes, ...body } = await encode(json, isRepeated || ports.plainHost.isSet())
  const response = await transmit({ url: options.url, timeoutMs: options.requestTimeout, ...body }, sizes.bytesAfter)
  if (!response) return undefined
  ports.onSend(createSendReport(options.url, events, json, sizes, response.status), events)
  // 415 is the answer of a server that does not know the compression (RFC 9110 15.5.16).
  if (sizes.encoding !== 'plain' && [400, 415].includes(response.status))
    return postEvents(options, ports, events, encode, transmit, true)
  if (isRepeated && classifyResponse(response) === 'accepted') ports.plainHost.set(true)
  return response
}

/** @param status Undefined for a beacon. */
export const createSendReport = (
  url: string,
  events: readonly string[],
  json: string,
  sizes: BodySizes,
  status?: number,
): SendReport => ({
  url,
  events: events.length,
  status,
  ...sizes,
  get bytesBefore() {
    return utf8Length(json)
  },
})
