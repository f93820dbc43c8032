import { createServer, request as ask } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { BatchRequest, WireEvent } from '../../src/wire/event.ts'
import { bodyJson } from './fake-service.ts'

/**
 * What the front does with requests from now on: `up` hands them to the service and its answers back; `down` ends each connection at once;
 * `hangs` takes requests, hands nothing on and never answers; `drops answers` hands them to the service, waits until it has answered (it
 * has stored the events), and then ends the connection; a number is a status with which the front itself answers.
 */
export type Behaviour = 'up' | 'down' | 'hangs' | 'drops answers' | number

/** The network and the machine in front of a real service, with their faults, as a proxy that counts what reaches the service. */
export interface Front {
  /** Origin, without a slash at the end. */
  readonly url: string
  behave(behaviour: Behaviour): void
  /** How often each event has reached the service, by uuid. */
  readonly deliveries: ReadonlyMap<string, number>
  /** Requests with events that came while it behaved in this way; connections while it was `down`. */
  seen(behaviour: Behaviour): number
  /** False while a request is under way; one that hangs does not count. */
  isIdle(): boolean
  close(): Promise<void>
}

/**
 * Starts a front on a free port of loopback.
 *
 * Each connection serves one request: a browser sends a request again by itself when a connection that it used before ends without an
 * answer, and the deliveries here are to be the agent's own.
 *
 * @param target Origin of the service.
 */
export const startFront = async (target: string): Promise<Front> => {
  let behaviour: Behaviour = 'up'
  const deliveries = new Map<string, number>()
  const seen = new Map<Behaviour, number>()
  const sockets = new Set<Socket>()
  let underWay = 0
  const see = (): void => void seen.set(behaviour, (seen.get(behaviour) ?? 0) + 1)

  const server = createServer((request, response) => {
    const now = behaviour
    void bodyOf(request)
      .then(async (body) => {
        const events = eventsIn(request, body)
        if (events.length) see()
        if (now === 'hangs') return
        underWay++
        response.on('close', () => underWay--)
        response.setHeader('Connection', 'close')
        if (typeof now === 'number') {
          response.writeHead(now, { 'Access-Control-Allow-Origin': '*' }).end()
          return
        }
        const answer = await pass(target, request, body)
        if (answer.status === 200) for (const { uuid } of events) deliveries.set(uuid, (deliveries.get(uuid) ?? 0) + 1)
        if (now === 'drops answers' && events.length) request.socket.destroy()
        else response.writeHead(answer.status, { ...answer.headers, connection: 'close' }).end(answer.body)
      })
      .catch(
        // The page, or the service, has gone away in the middle of the request.
        () => request.socket.destroy(),
      )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (behaviour !== 'down') return
    see()
    socket.destroy()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      behaviour = next
      if (next === 'down') hangUp()
    },
    deliveries,
    isIdle: () => !underWay,
    seen: (behaviour) => seen.get(behaviour) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        hangUp()
      }),
  }
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** The events of a request, in any form that the agent sends; none when it carries none. */
const eventsIn = ({ method, url, headers }: IncomingMessage, body: Buffer): readonly WireEvent[] => {
  if (method !== 'POST' || !/^\/(batch|i\/v0\/e)\//.test(url!)) return []
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const json = JSON.parse(bodyJson(isGzip ? body : body.toString(), headers['content-type']!)) as
    | BatchRequest
    | WireEvent
  return 'batch' in json ? json.batch : [json]
}

interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

const pass = (target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    ask(target + url, { method: method!, headers }, (answer) => {
      void bodyOf(answer).then(
        (read) => resolve({ status: answer.statusCode!, headers: answer.headers, body: read }),
        reject,
      )
    })
      .on('error', reject)
      .end(body)
  })
