import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { OpenStream } from '../../port/open-stream.ts'

/**
 * Reads a stream over a connection of its own, which does not keep the process alive. `fetch` gives no access to its socket, so a process
 * with an open response would never end by itself.
 *
 * @param defaultHeaders Headers of every request. The headers of a single request take precedence.
 */
export const createNodeOpenStream =
  (defaultHeaders: Readonly<Record<string, string>> = {}): OpenStream =>
  (url, headers, listener) => {
    let isOver = false
    const end = (): void => {
      if (!isOver) listener.onEnd()
      isOver = true
    }
    try {
      const get = url.startsWith('https:') ? getHttps : getHttp
      const request = get(url, { headers: { ...defaultHeaders, ...headers }, agent: false }, (response) => {
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => isOver || listener.onChunk(chunk))
        response.on('error', end)
        response.on('close', end)
        if (isOver) return
        listener.onHead({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          retryAfter: response.headers['retry-after'] ?? null,
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
      // The URL or a header is invalid.
      queueMicrotask(end)
      return () => {
        isOver = true
      }
    }
  }
