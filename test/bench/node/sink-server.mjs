import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { EVENT } from './event.mjs'

const EVENT_NAME_JSON = Buffer.from(JSON.stringify(EVENT))

/**
 * Creates a backend for all packages of the bench. During a measurement it does little: it decompresses a body, counts events by name
 * and responds. Ids are read only by `report`. Sizes are bytes received by the sockets, including headers.
 */
export const createSinkServer = () => {
  /** @type {{ at: number, text: Buffer }[]} */
  const accepted = []
  const sockets = new Set()
  let [status, events, closedSocketBytes, refused] = [200, 0, 0, 0]

  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = decompress(Buffer.concat(chunks))
      const count = countEvents(text)
      if (status !== 200) refused++
      else if (count) {
        events += count
        accepted.push({ at: Date.now(), text })
      }
      response.writeHead(status, { 'Content-Type': 'application/json' })
      // The response of each protocol's service.
      response.end(request.url.startsWith('/v1/') ? '{"success":true}' : '{"status":1}')
    })
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      closedSocketBytes += socket.bytesRead
    })
  })

  const listen = (port = 0) =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve(server.address().port))
    })

  return {
    /** @returns {Promise<number>} The port. */
    listen,
    /** Refuses connections until `listen` is called again. */
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
    /** Sets the status of all later responses. */
    setStatus: (code) => {
      status = code
    },
    /** Number of received events, including duplicates. */
    events: () => events,
    /**
     * Returns the number of distinct events and of duplicates, the time of each request with the number of distinct events until then, the
     * received bytes, and the number of rejected requests.
     */
    report: () => ({
      ...countDelivered(accepted),
      bytes: [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closedSocketBytes),
      refused,
    }),
  }
}

const decompress = (body) => (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body)

const countEvents = (text) => {
  let count = 0
  for (let at = text.indexOf(EVENT_NAME_JSON); at >= 0; at = text.indexOf(EVENT_NAME_JSON, at + EVENT_NAME_JSON.length))
    count++
  return count
}

const countDelivered = (accepted) => {
  const ids = new Set()
  const arrivals = []
  let events = 0
  for (const { at, text } of accepted) {
    const body = JSON.parse(text.toString())
    for (const { event, uuid, messageId } of body.batch ?? [body]) {
      if (event !== EVENT) continue
      events++
      ids.add(uuid ?? messageId)
    }
    arrivals.push([at, ids.size])
  }
  return { delivered: ids.size, deliveredTwice: events - ids.size, arrivals }
}
