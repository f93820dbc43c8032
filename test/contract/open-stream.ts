import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OpenStream, StreamHead } from '../../src/port/open-stream.ts'
import { until } from '../support/until.ts'

const serve = async (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`
}

/** Opens a stream and records the calls of its listener. */
const listen = (openStream: OpenStream, url: string, headers: Record<string, string> = {}) => {
  const received = { heads: [] as StreamHead[], text: '', ends: 0 }
  const close = openStream(url, headers, {
    onHead: (head) => received.heads.push(head),
    onChunk: (chunk) => (received.text += chunk),
    onEnd: () => received.ends++,
  })
  return { received, close }
}

/** Waits until events that arrive late have arrived. */
const waitForLateEvents = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

/**
 * Tests that every implementation of `OpenStream` must pass.
 *
 * @param create Creates an implementation that adds these headers to each request.
 */
export const openStreamContract = (create: (defaultHeaders: Readonly<Record<string, string>>) => OpenStream): void => {
  describe('open stream', () => {
    it('reports the head, then each chunk with whole characters, then the end once', async () => {
      const requestHeaders: Record<string, unknown> = {}
      let serverResponse!: ServerResponse
      const url = await serve((request, response) => {
        Object.assign(requestHeaders, request.headers, { method: request.method })
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        response.write('id: 1\n')
        serverResponse = response
      })
      const { received } = listen(create({ 'X-Always': 'a', 'X-Both': 'always' }), url, {
        Authorization: 'Bearer k',
        'X-Both': 'own',
      })
      await until(
        () => received.text,
        (text) => text === 'id: 1\n',
      )
      expect(received.heads).toEqual([{ status: 200, contentType: 'text/event-stream', retryAfter: null }])
      expect(requestHeaders).toMatchObject({
        method: 'GET',
        authorization: 'Bearer k',
        'x-always': 'a',
        'x-both': 'own',
      })
      const bytes = Buffer.from('data: größe €\n')
      serverResponse.write(bytes.subarray(0, 9))
      await until(
        () => received.text,
        (text) => text === 'id: 1\ndata: gr',
      )
      serverResponse.write(bytes.subarray(9))
      serverResponse.end()
      await until(
        () => received.ends,
        (ends) => ends > 0,
      )
      await waitForLateEvents()
      expect([received.text, received.ends]).toEqual(['id: 1\ndata: größe €\n', 1])
    })

    it.each([
      [503, { 'Retry-After': '7', 'Content-Type': 'application/json' }, '7', 'application/json'],
      [302, { Location: '/other' }, null, ''],
    ])('reports status %i without following it', async (status, headers, retryAfter, contentType) => {
      const urls: unknown[] = []
      const url = await serve((request, response) => {
        urls.push(request.url)
        response.writeHead(status, headers as Record<string, string>).end()
      })
      const { received } = listen(create({}), url)
      await until(
        () => received.ends,
        (ends) => ends > 0,
      )
      await waitForLateEvents()
      expect(received).toEqual({ heads: [{ status, contentType, retryAfter }], text: '', ends: 1 })
      expect(urls).toEqual(['/stream'])
    })

    it('ends once when the connection breaks', async () => {
      const url = await serve((_request, response) => {
        response.writeHead(200)
        response.write('a', () => response.socket!.resetAndDestroy())
      })
      const { received } = listen(create({}), url)
      await until(
        () => received.ends,
        (ends) => ends > 0,
      )
      await waitForLateEvents()
      expect(received.ends).toBe(1)
    })

    it.each([
      ['no server listens', 'http://127.0.0.1:1/', {}],
      ['the URL is invalid', 'http://', {}],
      ['a header is invalid', 'http://127.0.0.1:1/', { Authorization: 'Bearer a\nb' }],
    ])('ends once, asynchronously, when %s', async (_reason, url, headers) => {
      const { received } = listen(create({}), url, headers)
      expect(received.ends).toBe(0)
      await until(
        () => received.ends,
        (ends) => ends > 0,
      )
      await waitForLateEvents()
      expect(received).toEqual({ heads: [], text: '', ends: 1 })
    })

    it('closes the connection at once, and reports nothing after that', async () => {
      let serverResponse!: ServerResponse
      let isClosed = false
      const url = await serve((_request, response) => {
        response.writeHead(200)
        response.write('a')
        response.on('close', () => (isClosed = true))
        serverResponse = response
      })
      const { received, close } = listen(create({}), url)
      await until(
        () => received.text,
        (text) => text === 'a',
      )
      serverResponse.write('b')
      close()
      await until(
        () => isClosed,
        (closed) => closed,
      )
      await waitForLateEvents()
      expect(received).toMatchObject({ text: 'a', ends: 0 })
      close()
    })

    it('reports nothing when it is closed before the response', async () => {
      let hasArrived = false
      let isClosed = false
      const url = await serve((request) => {
        hasArrived = true
        request.socket.on('close', () => (isClosed = true))
      })
      const { received, close } = listen(create({}), url)
      await until(
        () => hasArrived,
        (arrived) => arrived,
      )
      close()
      await until(
        () => isClosed,
        (closed) => closed,
      )
      expect(received).toEqual({ heads: [], text: '', ends: 0 })
    })
  })
}
