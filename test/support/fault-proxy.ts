import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'
import { decodeBody } from './fake-service.ts'

/**
 * How the proxy treats requests:
 * - `up`: forwards requests and responses.
 * - `down`: closes each connection at once.
 * - `hangs`: accepts requests, but forwards nothing and never responds.
 * - `drops responses`: forwards requests, and closes the connection when the service has responded, so that the events are stored.
 * - a number: responds with this status itself.
 */
export type ProxyBehaviour = 'up' | 'down' | 'hangs' | 'drops responses' | number

/** A proxy in front of a real service that simulates faults and counts the deliveries. */
export interface FaultProxy {
  /** Origin, without a slash at the end. */
  readonly url: string
  setBehaviour(behaviour: ProxyBehaviour): void
  /** How often each event has reached the service, by uuid. */
  readonly deliveries: ReadonlyMap<string, number>
  /** Number of requests with events that arrived under this behaviour; under `down`, the number of connections. */
  countRequests(behaviour: ProxyBehaviour): number
  /** False while a request is in flight; one that hangs does not count. */
  isIdle(): boolean
  close(): Promise<void>
}

/**
 * Starts a fault proxy on a free port of 127.0.0.1.
 *
 * Each connection serves one request. A browser repeats a request by itself when a reused connection closes without a response, but this
 * proxy must count the deliveries of the agent only.
 *
 * @param target Origin of the service.
 */
export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  let behaviour: ProxyBehaviour = 'up'
  const deliveries = new Map<string, number>()
  const requestCounts = new Map<ProxyBehaviour, number>()
  const sockets = new Set<Socket>()
  let inFlight = 0
  const countRequest = (): void => void requestCounts.set(behaviour, (requestCounts.get(behaviour) ?? 0) + 1)

  const server = createServer((request, response) => {
    const behaviourAtStart = behaviour
    void readBody(request)
      .then(async (body) => {
        const events = readEvents(request, body)
        if (events.length) countRequest()
        if (behaviourAtStart === 'hangs') return
        inFlight++
        response.on('close', () => inFlight--)
        response.setHeader('Connection', 'close')
        if (typeof behaviourAtStart === 'number') {
          response.writeHead(behaviourAtStart, { 'Access-Control-Allow-Origin': '*' }).end()
          return
        }
        const upstream = await forward(target, request, body)
        if (upstream.status === 200) {
          for (const { uuid } of events) deliveries.set(uuid, (deliveries.get(uuid) ?? 0) + 1)
        }
        if (behaviourAtStart === 'drops responses' && events.length) request.socket.destroy()
        else response.writeHead(upstream.status, { ...upstream.headers, connection: 'close' }).end(upstream.body)
      })
      .catch(
        // The page or the service has closed the connection in the middle of the request.
        () => request.socket.destroy(),
      )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (behaviour !== 'down') return
    countRequest()
    socket.destroy()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

  const closeConnections = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setBehaviour(next) {
      behaviour = next
      if (next === 'down') closeConnections()
    },
    deliveries,
    isIdle: () => !inFlight,
    countRequests: (behaviour) => requestCounts.get(behaviour) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        closeConnections()
      }),
  }
}

const readBody = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Returns the events of a request, in any encoding that the agent sends; none for other requests. */
const readEvents = ({ method, url, headers }: IncomingMessage, body: Buffer): readonly WireEvent[] => {
  if (method !== 'POST' || !/^\/(batch|i\/v0\/e)\//.test(url!)) return []
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const json = JSON.parse(decodeBody(isGzip ? body : body.toString(), headers['content-type']!)) as
    | BatchRequest
    | WireEvent
  return 'batch' in json ? json.batch : [json]
}

interface UpstreamResponse {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

const forward = (target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<UpstreamResponse> =>
  new Promise((resolve, reject) => {
    sendRequest(target + url, { method: method!, headers }, (response) => {
      void readBody(response).then(
        (responseBody) => resolve({ status: response.statusCode!, headers: response.headers, body: responseBody }),
        reject,
      )
    })
      .on('error', reject)
      .end(body)
  })
