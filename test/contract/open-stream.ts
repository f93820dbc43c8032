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

/** What a listener has heard. */
const listen = (openStream: OpenStream, url: string, headers: Record<string, string> = {}) => {
  const heard = { heads: [] as StreamHead[], text: '', ends: 0 }
  const close = openStream(url, headers, {
    head: (head) => heard.heads.push(head),
    text: (text) => (heard.text += text),
    end: () => heard.ends++,
  })
  return { heard, close }
}

/** Longer than anything that is still under way takes to come. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

/** What every way to read a stream must do. @param create Makes one with headers of its own. */
export const testOpenStream = (create: (always: Readonly<Record<string, string>>) => OpenStream): void => {
  describe('reads a stream', () => {
    it('as it comes: the head, then the text of each part, letters whole, and its end once', async () => {
      const seen: Record<string, unknown> = {}
      let answer!: ServerResponse
      const url = await serve((request, response) => {
        Object.assign(seen, request.headers, { method: request.method })
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        response.write('id: 1\n')
        answer = response
      })
      const { heard } = listen(create({ 'X-Always': 'a', 'X-Both': 'always' }), url, {
        Authorization: 'Bearer k',
        'X-Both': 'own',
      })
      await until(
        () => heard.text,
        (text) => text === 'id: 1\n',
      )
      expect(heard.heads).toEqual([{ status: 200, contentType: 'text/event-stream', retryAfter: null }])
      expect(seen).toMatchObject({ method: 'GET', authorization: 'Bearer k', 'x-always': 'a', 'x-both': 'own' })
      const bytes = Buffer.from('data: größe €\n')
      answer.write(bytes.subarray(0, 9))
      await until(
        () => heard.text,
        (text) => text === 'id: 1\ndata: gr',
      )
      answer.write(bytes.subarray(9))
      answer.end()
      await until(
        () => heard.ends,
        (ends) => ends > 0,
      )
      await aWhile()
      expect([heard.text, heard.ends]).toEqual(['id: 1\ndata: größe €\n', 1])
    })

    it.each([
      [503, { 'Retry-After': '7', 'Content-Type': 'application/json' }, '7', 'application/json'],
      [302, { Location: '/other' }, null, ''],
    ])('%i is told and not followed', async (status, headers, retryAfter, contentType) => {
      const asked: unknown[] = []
      const url = await serve((request, response) => {
        asked.push(request.url)
        response.writeHead(status, headers as Record<string, string>).end()
      })
      const { heard } = listen(create({}), url)
      await until(
        () => heard.ends,
        (ends) => ends > 0,
      )
      await aWhile()
      expect(heard).toEqual({ heads: [{ status, contentType, retryAfter }], text: '', ends: 1 })
      expect(asked).toEqual(['/stream'])
    })

    it('ends once when the connection breaks', async () => {
      const url = await serve((_request, response) => {
        response.writeHead(200)
        response.write('a', () => response.socket!.resetAndDestroy())
      })
      const { heard } = listen(create({}), url)
      await until(
        () => heard.ends,
        (ends) => ends > 0,
      )
      await aWhile()
      expect(heard.ends).toBe(1)
    })

    it.each([
      ['nobody listens', 'http://127.0.0.1:1/', {}],
      ['the address is none', 'http://', {}],
      ['a header cannot be', 'http://127.0.0.1:1/', { Authorization: 'Bearer a\nb' }],
    ])('ends once, and not before it has answered, when %s', async (_why, url, headers) => {
      const { heard } = listen(create({}), url, headers)
      expect(heard.ends).toBe(0)
      await until(
        () => heard.ends,
        (ends) => ends > 0,
      )
      await aWhile()
      expect(heard).toEqual({ heads: [], text: '', ends: 1 })
    })

    it('closed: lets go of the connection at once, and nothing more is heard', async () => {
      let answer!: ServerResponse
      let isGone = false
      const url = await serve((_request, response) => {
        response.writeHead(200)
        response.write('a')
        response.on('close', () => (isGone = true))
        answer = response
      })
      const { heard, close } = listen(create({}), url)
      await until(
        () => heard.text,
        (text) => text === 'a',
      )
      answer.write('b')
      close()
      await until(
        () => isGone,
        (gone) => gone,
      )
      await aWhile()
      expect(heard).toMatchObject({ text: 'a', ends: 0 })
      close()
    })

    it('closed before the answer: nothing is heard at all', async () => {
      let isGone = false
      const url = await serve((request) => request.socket.on('close', () => (isGone = true)))
      const { heard, close } = listen(create({}), url)
      await aWhile()
      close()
      await until(
        () => isGone,
        (gone) => gone,
      )
      expect(heard).toEqual({ heads: [], text: '', ends: 0 })
    })
  })
}
