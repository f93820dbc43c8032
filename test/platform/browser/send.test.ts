// @vitest-environment node
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSend } from '../../../src/platform/browser/send.ts'
import { createMemoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import { createHostMark } from '../../../src/lib/host-mark.ts'
import { isServiceResponse } from '../../../src/wire/is-service-response.ts'
import { manualClock } from '../../support/manual-clock.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  vi.unstubAllGlobals()
})

const serve = async (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  server = createServer(handler)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`
}
const request = (url: string, body: string | Uint8Array = '{}') => ({
  url,
  body,
  contentType: 'text/plain',
  timeoutMs: 10_000,
})

const FAILED = { status: 0, body: '', retryAfter: null }
/** Without a timeout. */
const LOST = { ...FAILED, failure: 'nothing, or a redirect' }

describe('send', () => {
  it('posts the body unchanged, and returns status, body and Retry-After', async () => {
    const requests: { method?: string; type?: string; cookie?: string; body: Buffer }[] = []
    const url = await serve((incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const { method, headers } = incoming
        requests.push({ method: method!, type: headers['content-type']!, body: Buffer.concat(chunks) })
        response.writeHead(503, {
          'Retry-After': '3',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': 'Retry-After',
        })
        response.end('{"code":"unavailable"}')
      })
    })
    const clock = manualClock()
    const response = await createSend(clock)(request(url, new Uint8Array([0x1f, 0x8b, 0, 255])))
    expect(response).toEqual({ status: 503, body: '{"code":"unavailable"}', retryAfter: '3' })
    expect(requests).toEqual([{ method: 'POST', type: 'text/plain', body: Buffer.from([0x1f, 0x8b, 0, 255]) }])
    await expect.poll(() => clock.pending()).toBe(0)
  })

  it('returns status 0 for a redirect and does not follow it', async () => {
    const requestedPaths: string[] = []
    const url = await serve((incoming, response) => {
      requestedPaths.push(incoming.url!)
      response.writeHead(302, { Location: '/login', 'Access-Control-Allow-Origin': '*' }).end()
    })
    expect(await createSend(manualClock())(request(url))).toEqual(LOST)
    expect(requestedPaths).toEqual(['/batch/'])
  })

  it('returns status 0 when the connection is refused', async () => {
    const url = await serve(() => {})
    server!.close()
    expect(await createSend(manualClock())(request(url))).toEqual(LOST)
  })

  it('returns status 0 after the timeout, and aborts the request', async () => {
    let onClose!: () => void
    const connectionClose = new Promise<void>((resolve) => (onClose = resolve))
    let onArrival!: () => void
    const requestArrival = new Promise<void>((resolve) => (onArrival = resolve))
    const url = await serve((incoming) => {
      incoming.socket.on('close', onClose)
      onArrival()
    })
    const clock = manualClock()
    const response = createSend(clock)(request(url))
    await requestArrival
    await clock.advance(9_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    expect(await response).toEqual(FAILED)
    await connectionClose
  })

  it('returns status 0 when a custom fetch throws or never resolves', async () => {
    const clock = manualClock()
    const sendByThrowingFetch = createSend(clock, () => {
      throw new Error('broken')
    })
    expect(await sendByThrowingFetch(request('http://x/'))).toEqual(LOST)
    const pendingResponse = createSend(clock, () => new Promise(() => {}))(request('http://x/'))
    await clock.advance(10_000)
    expect(await pendingResponse).toEqual(FAILED)
  })

  it('looks up fetch at each call, omits credentials and passes keepalive to fetch', async () => {
    const send = createSend(manualClock())
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => new Response('ok'))
    vi.stubGlobal('fetch', fetcher)
    await send({ ...request('http://x/'), keepalive: true })
    await send(request('http://x/'))
    expect(fetcher.mock.calls.map(([, init]) => [init?.credentials, init?.keepalive])).toEqual([
      ['omit', true],
      ['omit', false],
    ])
  })

  describe('with a proxy that redirects the slash at the end', () => {
    /** Serves only paths without a slash at their end, as the rewrites of Next.js do, or answers as `handle` says. */
    const serveBare = async (handle?: (path: string) => number | 'lost' | undefined) => {
      const paths: string[] = []
      const url = await serve((incoming, response) => {
        const path = incoming.url!
        paths.push(path)
        const status = handle?.(path) ?? (/\/(\?|$)/.test(path) ? 308 : 200)
        if (status === 'lost') return incoming.socket.destroy()
        const headers = { Location: path.replace('/?', '?').replace(/\/$/, ''), 'Access-Control-Allow-Origin': '*' }
        return response.writeHead(status, headers).end('{}')
      })
      const host = url.replace('/batch/', '')
      const mark = createHostMark(createMemoryKeyValue(), 'bare', host)
      const clock = manualClock()
      return { paths, url, host, mark, clock, send: createSend(clock, undefined, mark, isServiceResponse) }
    }

    it('sends the request once more without the slash, and later ones at once', async () => {
      const { send, url, host, paths, mark } = await serveBare()
      expect(await send(request(url))).toEqual({ status: 200, body: '{}', retryAfter: null })
      expect(mark.isSet()).toBe(true)
      expect(await send(request(`${host}/decide/?v=3`))).toMatchObject({ status: 200 })
      expect(paths).toEqual(['/batch/', '/batch', '/decide?v=3'])
    })

    it('uses the slash again when the form without it is missing or redirected', async () => {
      for (const status of [404, 308]) {
        let isChanged = false
        const { send, url, paths, mark } = await serveBare((path) =>
          isChanged ? (path.includes('/?') ? 200 : status) : undefined,
        )
        await send(request(url))
        isChanged = true
        // Another URL may be tried at once.
        expect(await send(request(`${url}?v=2`))).toMatchObject({ status: 200 })
        expect([mark.isSet(), paths.slice(2)]).toEqual([false, ['/batch?v=2', '/batch/?v=2']])
        server!.close()
      }
    })

    it.each([404, 405, 410, 308])('keeps the slash when the form without it answers %i', async (status) => {
      const { send, url, paths, mark } = await serveBare((path) => (path.endsWith('/') ? 'lost' : status))
      expect(await send(request(url))).toMatchObject({ status: 0 })
      expect([mark.isSet(), paths]).toEqual([false, ['/batch/', '/batch']])
    })

    const SERVICE_ERROR = '{"type":"unavailable","code":"inbox_full","detail":"Retry later."}'

    it.each([
      [200, '{"status":1}'],
      [400, SERVICE_ERROR],
      [503, SERVICE_ERROR],
    ])('takes the answer %i %s of the service without the slash', async (status, body) => {
      const mark = createHostMark(createMemoryKeyValue(), 'bare', 'http://x')
      const send = createSend(
        manualClock(),
        async (url) => {
          if ((url as string).endsWith('/')) throw new TypeError('redirected')
          return new Response(body, { status })
        },
        mark,
        isServiceResponse,
      )
      expect(await send(request('http://x/batch/'))).toMatchObject({ status, body })
      expect(mark.isSet()).toBe(true)
    })

    it.each([
      [200, ''],
      [200, '<!doctype html>'],
      [400, '{"error":"no such form"}'],
      [403, 'forbidden'],
      [503, ''],
    ])('takes no answer of anything but the service: %i "%s"', async (status, body) => {
      const mark = createHostMark(createMemoryKeyValue(), 'bare', 'http://x')
      let isLost = true
      const urls: string[] = []
      const send = createSend(
        manualClock(),
        async (input) => {
          const url = input as string
          urls.push(url)
          if (!url.endsWith('/')) return new Response(body, { status })
          if (isLost) throw new TypeError('lost')
          return new Response('{"status":1}')
        },
        mark,
        isServiceResponse,
      )
      expect(await send(request('http://x/batch/'))).toEqual(LOST)
      expect(mark.isSet()).toBe(false)
      // An earlier version, or an earlier proxy, may have left the mark.
      mark.set(true)
      isLost = false
      urls.length = 0
      expect(await send(request('http://x/decide/'))).toMatchObject({ status: 200, body: '{"status":1}' })
      expect([mark.isSet(), urls]).toEqual([false, ['http://x/decide', 'http://x/decide/']])
    })

    it('tries the other form at most once a minute, and says what may be wrong', async () => {
      const { send, url, paths, clock } = await serveBare(() => 'lost')
      expect(await send(request(url))).toMatchObject({ status: 0, failure: 'nothing, or a redirect' })
      await send(request(url))
      await clock.advance(59_999)
      await send(request(url))
      expect(paths).toEqual(['/batch/', '/batch', '/batch/', '/batch/'])
      await clock.advance(1)
      await send(request(url))
      expect(paths.slice(4)).toEqual(['/batch/', '/batch'])
    })

    it('leaves URLs of other hosts and URLs without a slash as they are', async () => {
      const { url, host, paths } = await serveBare(() => 'lost')
      const otherMark = createHostMark(createMemoryKeyValue(), 'bare', 'https://other.test')
      await createSend(manualClock(), undefined, otherMark)(request(url))
      await createSend(
        manualClock(),
        undefined,
        createHostMark(createMemoryKeyValue(), 'bare', host),
      )(request(`${host}/flags.json`))
      expect(paths).toEqual(['/batch/', '/flags.json'])
    })

    it('does not try the other form after a timeout', async () => {
      const clock = manualClock()
      const urls: unknown[] = []
      const hangingFetch = (url: unknown, init?: RequestInit): Promise<Response> => {
        urls.push(url)
        return new Promise((_, reject) => init!.signal!.addEventListener('abort', () => reject(new Error('aborted'))))
      }
      const mark = createHostMark(createMemoryKeyValue(), 'bare', 'http://x')
      const response = createSend(clock, hangingFetch, mark)(request('http://x/batch/'))
      await clock.advance(10_000)
      expect(await response).toEqual(FAILED)
      await clock.advance(0)
      expect(urls).toEqual(['http://x/batch/'])
    })
  })
})
