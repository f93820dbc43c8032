import type { Clock } from '../port/clock.ts'
import type { SendRequest, SendResponse } from '../port/send.ts'
import { createBatchBody } from './batch.ts'
import type { BatchOptions } from './batch.ts'
import type { BodySizes, EncodedBody } from './encoded-body.ts'

/** Where and how events are sent. */
export interface PostOptions extends BatchOptions {
  /** URL of the batch endpoint. */
  readonly url: string
  readonly requestTimeout: number
}

export interface PostPorts {
  readonly clock: Clock
  /** @param events The events of the request, as JSON. */
  readonly onSend: (report: SendReport, events: readonly string[]) => void
}

/** One request that was sent, as `onSend` gets it. */
export interface SendReport extends BodySizes {
  readonly url: string
  /** Number of events in the request. */
  readonly events: number
  /** HTTP status; 0 without a response. Undefined for a beacon, because a page cannot read its response. */
  readonly status: number | undefined
}

/**
 * Sends events in one request, and reports it.
 *
 * @param transmit Sends the request in the platform's own way. Undefined: nothing was sent, because the run must end.
 */
export const postEvents = async (
  options: PostOptions,
  { clock, onSend }: PostPorts,
  events: readonly string[],
  encode: (json: string) => Promise<EncodedBody>,
  transmit: (request: SendRequest, bytesAfter: number) => Promise<SendResponse | undefined>,
): Promise<SendResponse | undefined> => {
  const json = createBatchBody(options, events, clock.now())
  const { sizes, ...body } = await encode(json)
  const response = await transmit({ url: options.url, timeoutMs: options.requestTimeout, ...body }, sizes.bytesAfter)
  if (response) onSend({ url: options.url, events: events.length, status: response.status, ...sizes }, events)
  return response
}
