import { gunzipSync } from 'node:zlib'
import LZString from 'lz-string'
import type { Beacon, Send, SendAnswer, SendRequest } from '../../src/port/send.ts'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'

/** What the service makes of one request. Status 0: the request never arrived. */
export interface Reply {
  readonly status: number
  readonly body?: string
  readonly retryAfter?: string
  /** The request was taken, but its answer got lost on the way. */
  readonly isDropped?: boolean
}

/** A service that keeps what it acknowledged, with the faults of a network before it. */
export interface FakeService {
  readonly send: Send
  readonly beacon: Beacon
  readonly requests: SendRequest[]
  /** Every batch that the service stored, beacons too. */
  readonly batches: BatchRequest[]
  reply: (request: SendRequest, index: number) => Reply | Promise<Reply>
  /** Bytes that the browser still takes for beacons. */
  beaconBudget: number
  /** False: the browser accepts beacons that never arrive. */
  doBeaconsArrive: boolean
  /** Deliveries in order, with repetitions. */
  events(): WireEvent[]
  /** Names of the stored events, each uuid once, in the order of their first arrival. */
  names(): string[]
}

/** The JSON in a request body of any form that the agent sends. */
export const bodyJson = (body: string | Uint8Array, contentType: string): string => {
  if (typeof body !== 'string') return gunzipSync(body).toString()
  if (contentType !== 'application/x-www-form-urlencoded') return body
  return LZString.decompressFromBase64(new URLSearchParams(body).get('data')!)
}

export const fakeService = (): FakeService => {
  const store = (body: string | Uint8Array, contentType: string): void => {
    const batch: BatchRequest = JSON.parse(bodyJson(body, contentType))
    own.batches.push(batch)
  }
  const own: FakeService = {
    requests: [],
    batches: [],
    reply: () => ({ status: 200 }),
    beaconBudget: 64 * 1024,
    doBeaconsArrive: true,
    events: () => own.batches.flatMap(({ batch }) => batch),
    names: () => [...new Map(own.events().map(({ uuid, event }) => [uuid, event])).values()],
    async send(request): Promise<SendAnswer> {
      const reply = await own.reply(request, own.requests.push(request) - 1)
      if (reply.status === 200) store(request.body, request.contentType)
      if (reply.isDropped) return { status: 0, body: '', retryAfter: null }
      return { status: reply.status, body: reply.body ?? '', retryAfter: reply.retryAfter ?? null }
    },
    beacon(_url, body, contentType) {
      const bytes = Buffer.byteLength(body)
      if (bytes > own.beaconBudget) return false
      own.beaconBudget -= bytes
      if (own.doBeaconsArrive) store(body, contentType)
      return true
    },
  }
  return own
}
