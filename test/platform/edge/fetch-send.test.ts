import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserClock } from '../../../src/platform/browser/clock.ts'
import { createFetchSend } from '../../../src/platform/edge/fetch-send.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { selfSigned } from '../../support/self-signed.ts'

const servers: Server[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const listen = async (server: Server, scheme = 'http'): Promise<string> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`
}
const serve = (handler: (...args: Parameters<RequestListener>) => unknown) =>
  listen(createServer((incoming, response) => void handler(incoming, response)))

const request = (url: string, body: string | Uint8Array = '{}') => ({
  url,
  body,
  contentType: 'application/json',
  timeoutMs: 10_000,
})
const FAILED = { status: 0, body: '', retryAfter: null, etag: null }

describe('createServerSend', () => {
  it('posts the bytes as they are with all headers, and answers status, text, Retry-After and ETag', async () => {
    const seen: unknown[] = []
    const url = await serve(async (incoming, response) => {
      const { method, headers } = incoming
      const { 'content-type': type, 'content-encoding': encoding, 'user-agent': agent } = headers
      seen.push({ method, type, encoding, agent, body: await buffer(incoming) })
      response.writeHead(503, { 'Retry-After': '3', ETag: 'W/"1"' }).end('{"code":"unavailable"}')
    })
    const clock = manualClock()
    const send = createFetchSend({ clock, headers: { 'User-Agent': 'waymark-node/1' } })
    const body = new Uint8Array([0x1f, 0x8b, 0, 255])
    const answer = await send({ ...request(url, body), headers: { 'Content-Encoding': 'gzip' } })
    expect(answer).toEqual({ status: 503, body: '{"code":"unavailable"}', retryAfter: '3', etag: 'W/"1"' })
    expect(seen).toEqual([
      {
        method: 'POST',
        type: 'application/json',
        encoding: 'gzip',
        agent: 'waymark-node/1',
        body: Buffer.from(body),
      },
    ])
    expect(clock.pending()).toBe(0)
  })

  it('asks by GET when there is no body, and tells 304 apart from a redirect', async () => {
    const seen: IncomingMessage[] = []
    const url = await serve((incoming, response) => {
      seen.push(incoming)
      response.writeHead(304, { ETag: '"1"' }).end()
    })
    const send = createFetchSend({ clock: manualClock(), headers: { Authorization: 'none' } })
    const answer = await send({ ...request(url, ''), headers: { Authorization: 'Bearer k', 'If-None-Match': '"1"' } })
    expect(answer).toEqual({ status: 304, body: '', retryAfter: null, etag: '"1"' })
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    expect(seen[0]!.headers).toMatchObject({ authorization: 'Bearer k', 'if-none-match': '"1"' })
    expect(seen[0]!.headers).not.toHaveProperty('content-type')
  })

  it.each([301, 302, 303, 307, 308])(
    'answers 0 to a redirect by %i, does not follow it, and keeps no connection',
    async (status) => {
      const asked: string[] = []
      let gone: Promise<unknown> | undefined
      const url = await serve((incoming, response) => {
        asked.push(incoming.url!)
        gone = new Promise((resolve) => incoming.socket.on('close', resolve))
        // The rest of its body never comes.
        response.writeHead(status, { Location: '/login', 'Content-Length': 100 }).write('moved')
      })
      expect(await createFetchSend({ clock: manualClock() })(request(url))).toEqual(FAILED)
      await gone
      expect(asked).toEqual(['/batch/'])
    },
  )

  it('answers 0 to a redirect that a replaced fetch has followed, and to one that a runtime hides', async () => {
    const answers = [
      Object.defineProperty(new Response('login'), 'redirected', { value: true }),
      Object.defineProperty(new Response(''), 'type', { value: 'opaqueredirect' }),
    ]
    const send = createFetchSend({ clock: manualClock(), fetch: async () => answers.shift()! })
    expect(await send(request('http://x/'))).toEqual(FAILED)
    expect(await send(request('http://x/'))).toEqual(FAILED)
    expect(answers).toEqual([])
  })

  it('answers 0 when nobody listens, when the address is none, and when the connection breaks', async () => {
    const send = createFetchSend({ clock: manualClock() })
    const closed = await serve(() => {})
    await new Promise((resolve) => servers.pop()!.close(resolve))
    expect(await send(request(closed))).toEqual(FAILED)
    expect(await send(request('no address'))).toEqual(FAILED)
    const broken = await serve((incoming) => incoming.socket.destroy())
    expect(await send(request(broken))).toEqual(FAILED)
  })

  it('answers 0 when a certificate is not to be trusted', async () => {
    let isAsked = false
    const url = await listen(
      createSecureServer(selfSigned, (_, response) => {
        isAsked = true
        response.end()
      }),
      'https',
    )
    expect(await createFetchSend({ clock: manualClock() })(request(url))).toEqual(FAILED)
    expect(isAsked).toBe(false)
  })

  it('answers 0 when no answer comes in time, and ends the request', async () => {
    let closed!: () => void
    const gone = new Promise<void>((resolve) => (closed = resolve))
    let arrived!: () => void
    const asked = new Promise<void>((resolve) => (arrived = resolve))
    const url = await serve((incoming) => {
      incoming.socket.on('close', closed)
      arrived()
    })
    const clock = manualClock()
    const answer = createFetchSend({ clock })(request(url))
    await asked
    await clock.advance(9_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    expect(await answer).toEqual(FAILED)
    await gone
  })

  it('answers 0 at once when it is told to give up, and ends the request', async () => {
    let arrived!: (incoming: IncomingMessage) => void
    const asked = new Promise<IncomingMessage>((resolve) => (arrived = resolve))
    const url = await serve(arrived)
    const clock = manualClock()
    const ends = new Set<() => void>()
    const answer = createFetchSend({ clock })({ ...request(url), ends })
    const { socket } = await asked
    const gone = new Promise((resolve) => socket.on('close', resolve))
    for (const end of ends) end()
    expect(await answer).toEqual(FAILED)
    await gone
    expect([ends.size, clock.pending()]).toEqual([0, 0])
  })

  it('answers 0 when the body of an answer hangs, and when it breaks off', async () => {
    let isBreaking = false
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{"status":')
      if (isBreaking) setImmediate(() => response.destroy())
    })
    const send = createFetchSend({ clock: browserClock() })
    expect(await send({ ...request(url), timeoutMs: 50 })).toEqual(FAILED)
    isBreaking = true
    expect(await send(request(url))).toEqual(FAILED)
  })

  it('answers 0 to a body of more bytes than are allowed once it is unpacked, 8 MiB unless told, and ends the request', async () => {
    const MEBIBYTE = 1024 * 1024
    let gone: Promise<unknown> | undefined
    const url = await serve((incoming, response) => {
      gone = new Promise((resolve) => incoming.socket.on('close', resolve))
      // The rest of it never comes.
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).write(gzipSync(Buffer.alloc(8 * MEBIBYTE + 1, 'a')))
    })
    const clock = manualClock()
    const send = createFetchSend({ clock })
    expect(await send(request(url))).toEqual(FAILED)
    await gone
    expect(clock.pending()).toBe(0)
    const plain = await serve((_, response) => response.end('a'.repeat(8 * MEBIBYTE)))
    expect((await send(request(plain))).body).toHaveLength(8 * MEBIBYTE)
    expect(await send({ ...request(plain), maxBytes: MEBIBYTE })).toEqual(FAILED)
    expect((await send({ ...request(plain), maxBytes: 9 * MEBIBYTE })).status).toBe(200)
  })

  it('answers 0 when a given fetch throws or never answers, and when the platform has no timer to give', async () => {
    const clock = manualClock()
    const throwing = createFetchSend({
      clock,
      fetch: () => {
        throw new Error('broken')
      },
    })
    expect(await throwing(request('http://x/'))).toEqual(FAILED)
    const silent = createFetchSend({ clock, fetch: () => new Promise(() => {}) })(request('http://x/'))
    await clock.advance(10_000)
    expect(await silent).toEqual(FAILED)
    const after = () => {
      // workerd, outside of a request
      throw new Error('Disallowed operation called within global scope')
    }
    expect(await createFetchSend({ clock: { ...clock, after } })(request('http://x/'))).toEqual(FAILED)
  })

  it('looks fetch up at each call', async () => {
    const send = createFetchSend({ clock: manualClock() })
    for (const body of ['first', 'second']) {
      vi.stubGlobal('fetch', async () => new Response(body))
      expect((await send(request('http://x/'))).body).toBe(body)
    }
  })

  it('names no setting that a runtime at the edge refuses', async () => {
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => new Response('ok'))
    await createFetchSend({ clock: manualClock(), fetch: fetcher })(request('http://x/'))
    const init = fetcher.mock.calls[0]![1]!
    expect(Object.keys(init).sort()).toEqual(['body', 'headers', 'method', 'redirect', 'signal'])
    expect(init.redirect).toBe('manual')
  })
})
