import { connect } from 'node:net'

/**
 * Sends requests as fast as the server responds, one at a time per connection. The client is cheap, so that the server is measured:
 * requests are built in advance, and only status and length of a response are read.
 *
 * @param {{ url: string, path: string, bodies: readonly string[], connections: number, seconds: number }} options `bodies` rotate.
 * @returns {Promise<{ requestsPerSecond: number, latenciesMs: number[] }>} Rejects if a response is not 200.
 */
export const sendLoad = async ({ url, path, bodies, connections, seconds }) => {
  const { hostname, port, host } = new URL(url)
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )
  const latenciesMs = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let nextRequest = 0

  const run = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      let sentAt = 0
      /** Received bytes of the response, and its total size once the header is complete. */
      let [received, expected, header] = [0, -1, '']
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= endsAt) {
          socket.destroy()
          resolve(undefined)
          return
        }
        ;[received, expected, header] = [0, -1, '']
        socket.write(requests[nextRequest++ % requests.length])
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('end', () => reject(new Error('The server closed a connection; see its log.')))
      socket.on('data', (chunk) => {
        received += chunk.length
        if (expected < 0) {
          header += chunk.latin1Slice(0, chunk.length)
          const end = header.indexOf('\r\n\r\n')
          if (end < 0) return
          if (!header.startsWith('HTTP/1.1 200')) {
            socket.destroy()
            reject(new Error(`The server did not respond with 200: ${header}`))
            return
          }
          expected = end + 4 + Number(/^content-length: (\d+)/im.exec(header)[1])
        }
        if (received < expected) return
        latenciesMs.push(performance.now() - sentAt)
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, run))
  return { requestsPerSecond: latenciesMs.length / ((performance.now() - startedAt) / 1000), latenciesMs }
}
