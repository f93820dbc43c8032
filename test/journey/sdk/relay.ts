import { createServer, request as ask } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that a page made to the service, as it stood on the wire, and its answer. */
export interface Relayed {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Of the answer; 0 when none came. */
  readonly status: number
}

/** A relay in front of the service: it hands requests and answers on as they are, and remembers them, beacons too, whose answers no page sees. */
export interface Relay {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** What was answered since the relay began, in the order of the answers. */
  readonly requests: readonly Relayed[]
  /** False while a request is under way. */
  isIdle(): boolean
  /** Relays a request that another server has got. */
  readonly handle: RequestListener
  close(): Promise<void>
}

/**
 * Starts a relay on a free port of loopback.
 *
 * @param target Origin of the service.
 * @param prefix What is cut off the beginning of each path, as a proxy does that gives the service a part of a site; by default nothing.
 */
export const startRelay = async (target: string, prefix = ''): Promise<Relay> => {
  const requests: Relayed[] = []
  let underWay = 0
  const handle: RequestListener = (request, response) => {
    underWay++
    void relay(target, prefix, request)
      .catch(() => ({ status: 0, headers: {}, sent: Buffer.alloc(0), body: Buffer.alloc(0) }))
      .then(({ status, headers, sent, body }) => {
        requests.push({ method: request.method!, url: request.url!, headers: request.headers, body: sent, status })
        if (status === 0) request.socket.destroy()
        else response.writeHead(status, headers).end(body)
        underWay--
      })
  }
  const server = createServer(handle)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    isIdle: () => underWay === 0,
    handle,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const bytesOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const relay = async (target: string, prefix: string, request: IncomingMessage) => {
  const sent = await bytesOf(request)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = target + request.url!.slice(prefix.length)
    const { 'transfer-encoding': _, ...headers } = request.headers
    ask(url, { method: request.method!, headers: { ...headers, 'content-length': sent.length } }, resolve)
      .on('error', reject)
      .end(sent)
  })
  return { status: answer.statusCode!, headers: answer.headers, sent, body: await bytesOf(answer) }
}
