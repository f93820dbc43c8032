import { createPosts, runConnection } from '../http-connection.mjs'

/**
 * Sends requests as fast as the server responds, one at a time per connection.
 *
 * @param {{ url: string, path: string, bodies: readonly string[], connections: number, seconds: number }} options `bodies` rotate.
 * @returns {Promise<{ requestsPerSecond: number, latenciesMs: number[] }>} Rejects if a response is not 200.
 */
export const sendLoad = async ({ url, path, bodies, connections, seconds }) => {
  const requests = bodies.map(createPosts(`${url}${path}`, 'application/json'))
  const latenciesMs = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let requestIndex = 0

  const run = () => {
    let sentAt = 0
    const nextRequest = () => {
      sentAt = performance.now()
      return sentAt >= endsAt ? null : requests[requestIndex++ % requests.length]
    }
    return runConnection(url, nextRequest, () => latenciesMs.push(performance.now() - sentAt))
  }
  await Promise.all(Array.from({ length: connections }, run))
  return { requestsPerSecond: latenciesMs.length / ((performance.now() - startedAt) / 1000), latenciesMs }
}
