import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { EVENT } from './event.mjs'

const MARK = Buffer.from(JSON.stringify(EVENT))

/**
 * A backend of every package of the bench. While packages are measured it does next to nothing: it opens a body, counts the events in it by
 * their name, and answers; ids are read when `report` is asked for. Sizes are what came in by the sockets: lines of headers included.
 */
export const createSinkServer = () => {
  /** @type {{ at: number, text: Buffer }[]} */
  const accepted = []
  const sockets = new Set()
  let [status, events, bytesOfClosed, refused] = [200, 0, 0, 0]

  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = readable(Buffer.concat(chunks))
      const count = occurrences(text)
      if (status !== 200) refused++
      else if (count) {
        events += count
        accepted.push({ at: Date.now(), text })
      }
      response.writeHead(status, { 'Content-Type': 'application/json' })
      // What the service of each protocol says.
      response.end(request.url.startsWith('/v1/') ? '{"success":true}' : '{"status":1}')
    })
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      bytesOfClosed += socket.bytesRead
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
    /** From then on connections are refused, until it listens again. */
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
    /** From now on each request is answered so. */
    answer: (code) => {
      status = code
    },
    /** Events that have come in, each as often as it came. */
    events: () => events,
    /**
     * What has come in: events by id, how many came once more, after each request its time and how many different ones had come by then, bytes,
     * and how many requests were answered otherwise.
     */
    report: () => ({
      ...counted(accepted),
      bytes: [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, bytesOfClosed),
      refused,
    }),
  }
}

const readable = (body) => (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body)

const occurrences = (text) => {
  let count = 0
  for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + MARK.length)) count++
  return count
}

const counted = (accepted) => {
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
