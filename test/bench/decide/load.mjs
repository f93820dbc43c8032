import { connect } from 'node:net'

/**
 * Sends requests as fast as they are answered, each connection one at a time. Cheap, so that it is the server that is measured: requests are
 * bytes made before, and of an answer only status and length are read.
 *
 * @param {{ url: string, path: string, bodies: readonly string[], connections: number, seconds: number }} options The bodies take turns.
 * @returns {Promise<{ requestsPerSecond: number, latenciesMs: number[] }>} Throws when a request is not answered 200.
 */
export const load = async ({ url, path, bodies, connections, seconds }) => {
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
  let turn = 0

  const run = () =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      let sentAt = 0
      /** What has come of the answer, and how many bytes it will have once its head is known. */
      let [received, expected, head] = [0, -1, '']
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= endsAt) {
          socket.destroy()
          resolve(undefined)
          return
        }
        ;[received, expected, head] = [0, -1, '']
        socket.write(requests[turn++ % requests.length])
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('end', () => reject(new Error('The server has closed a connection.')))
      socket.on('data', (chunk) => {
        received += chunk.length
        if (expected < 0) {
          head += chunk.latin1Slice(0, chunk.length)
          const end = head.indexOf('\r\n\r\n')
          if (end < 0) return
          if (!head.startsWith('HTTP/1.1 200')) {
            socket.destroy()
            reject(new Error(`A request was answered ${head}`))
            return
          }
          expected = end + 4 + Number(/^content-length: (\d+)/im.exec(head)[1])
        }
        if (received < expected) return
        latenciesMs.push(performance.now() - sentAt)
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, run))
  return { requestsPerSecond: latenciesMs.length / ((performance.now() - startedAt) / 1000), latenciesMs }
}
