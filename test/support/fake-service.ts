import { gunzipSync } from 'node:zlib'
import LZString from 'lz-string'
import type { Beacon, Send, SendResponse, SendRequest } from '../../src/port/send.ts'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'

/** The service's response to one request. Status 0: the request never arrived. */
export interface Reply {
  readonly status: number
  readonly body?: string
  readonly retryAfter?: string
  /** The service has accepted the request, but the response is lost. */
  readonly isDropped?: boolean
}

/** A service that stores acknowledged events, behind a faulty network. */
export interface FakeService {
  readonly send: Send
  readonly beacon: Beacon
  readonly requests: SendRequest[]
  /** Every stored batch, including those of beacons. */
  readonly batches: BatchRequest[]
  reply: (request: SendRequest, index: number) => Reply | Promise<Reply>
  /** Bytes that the browser still accepts for beacons. */
  beaconBudget: number
  /** False: accepted beacons never arrive. */
  beaconsArrive: boolean
  /** All delivered events in order, with duplicates. */
  events(): WireEvent[]
  /** Names of the events without duplicates, in the order of their first delivery. */
  eventNames(): string[]
}

/** Decodes a request body of any form that the agent sends. */
export const decodeBody = (body: string | Uint8Array, contentType: string): string => {
  if (typeof body !== 'string') return gunzipSync(body).toString()
  if (contentType !== 'application/x-www-form-urlencoded') return body
  return LZString.decompressFromBase64(new URLSearchParams(body).get('data')!)
}

export const fakeService = (): FakeService => {
  const store = (body: string | Uint8Array, contentType: string): void => {
    const batch: BatchRequest = JSON.parse(decodeBody(body, contentType))
    service.batches.push(batch)
  }
  const service: FakeService = {
    requests: [],
    batches: [],
    reply: () => ({ status: 200 }),
    beaconBudget: 64 * 1024,
    beaconsArrive: true,
    events: () => service.batches.flatMap(({ batch }) => batch),
    eventNames: () => [...new Map(service.events().map(({ uuid, event }) => [uuid, event])).values()],
    async send(request): Promise<SendResponse> {
      const reply = await service.reply(request, service.requests.push(request) - 1)
      if (reply.status === 200) store(request.body, request.contentType)
      if (reply.isDropped) return { status: 0, body: '', retryAfter: null }
      return { status: reply.status, body: reply.body ?? '', retryAfter: reply.retryAfter ?? null }
    },
    beacon(_url, body, contentType) {
      const bytes = Buffer.byteLength(body)
      if (bytes > service.beaconBudget) return false
      service.beaconBudget -= bytes
      if (service.beaconsArrive) store(body, contentType)
      return true
    },
  }
  return service
}
