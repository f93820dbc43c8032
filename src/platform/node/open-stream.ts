import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { OpenStream } from '../../port/open-stream.ts'

/**
 * Reads a stream over a connection of its own that does not keep the process alive: `fetch` gives no way to its socket, and a process with an open
 * answer would never end by itself.
 *
 * @param always Headers that go along with every request; a request's own win.
 */
export const createNodeOpenStream =
  (always: Readonly<Record<string, string>> = {}): OpenStream =>
  (url, headers, listener) => {
    let isOver = false
    const end = (): void => {
      if (!isOver) listener.end()
      isOver = true
    }
    try {
      const get = url.startsWith('https:') ? getHttps : getHttp
      const request = get(url, { headers: { ...always, ...headers }, agent: false }, (answer) => {
        answer.setEncoding('utf8')
        answer.on('data', (text: string) => isOver || listener.text(text))
        answer.on('error', end)
        answer.on('close', end)
        if (isOver) return
        listener.head({
          status: answer.statusCode ?? 0,
          contentType: answer.headers['content-type'] ?? '',
          retryAfter: answer.headers['retry-after'] ?? null,
        })
      })
      request.on('socket', (socket) => socket.unref())
      request.on('error', end)
      request.on('close', end)
      return () => {
        isOver = true
        request.destroy()
      }
    } catch {
      // An address or a header that cannot be.
      queueMicrotask(end)
      return () => {
        isOver = true
      }
    }
  }
