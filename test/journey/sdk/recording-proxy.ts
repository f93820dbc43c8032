import { createServer, request as sendRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request of a page to the service, and the status of its response. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Status of the response; 0 if there was none. */
  readonly status: number
}

/** A proxy in front of the service that forwards requests unchanged and records them, including beacons. */
export interface RecordingProxy {
  /** Origin, without a slash at the end. */
  readonly url: string
  /** Requests that have a response, in the order of the responses. */
  readonly requests: readonly RecordedRequest[]
  /** False while a request is in flight. */
  isIdle(): boolean
  /** Forwards a request that another server has received. */
  readonly handle: RequestListener
  close(): Promise<void>
}

export interface RecordingProxyOptions {
  /** Removed from the beginning of each path, as by a proxy that serves the service below a path of a site. Default: nothing. */
  readonly prefix?: string
  /** Answers of paths that contain this text wait until the first request with events has arrived. Default: none wait. */
  readonly heldPath?: string | undefined
}

/** Starts a recording proxy, to the service with an origin, on a free port of 127.0.0.1. */
export const startRecordingProxy = async (
  target: string,
  { prefix = '', heldPath }: RecordingProxyOptions = {},
): Promise<RecordingProxy> => {
  const requests: RecordedRequest[] = []
  let inFlight = 0
  let onFirstEvent = (): void => undefined
  const firstEvent = new Promise<void>((resolve) => (onFirstEvent = resolve))
  const handle: RequestListener = (request, response) => {
    inFlight++
    if (isEventRequest(request)) onFirstEvent()
    const isHeld = heldPath !== undefined && request.url!.includes(heldPath)
    void Promise.all([forward(target, prefix, request), isHeld && firstEvent])
      .then(([answer]) => answer)
      .catch(() => ({ status: 0, headers: {}, requestBody: Buffer.alloc(0), responseBody: Buffer.alloc(0) }))
      .then(({ status, headers, requestBody, responseBody }) => {
        const { method, url, headers: requestHeaders } = request
        requests.push({ method: method!, url: url!, headers: requestHeaders, body: requestBody, status })
        if (status === 0) request.socket.destroy()
        else response.writeHead(status, headers).end(responseBody)
        inFlight--
      })
  }
  const server = createServer(handle)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    isIdle: () => inFlight === 0,
    handle,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A preflight does not count: the page may still choose how to send the events. */
const isEventRequest = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url!.includes('/e/')

const readBody = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const forward = async (target: string, prefix: string, request: IncomingMessage) => {
  const requestBody = await readBody(request)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = target + request.url!.slice(prefix.length)
    const { 'transfer-encoding': _, ...headers } = request.headers
    sendRequest(
      url,
      { method: request.method!, headers: { ...headers, 'content-length': requestBody.length } },
      resolve,
    )
      .on('error', reject)
      .end(requestBody)
  })
  return {
    status: response.statusCode!,
    headers: response.headers,
    requestBody,
    responseBody: await readBody(response),
  }
}
