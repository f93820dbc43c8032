import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClock } from '../../../src/platform/web/clock.ts'
import { createFetchSend } from '../../../src/platform/web/fetch-send.ts'
import { readBody } from '../../../src/platform/web/read-body.ts'
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

describe('createFetchSend', () => {
  it('sends, and fails after the timeout, where there is no AbortController', async () => {
    vi.stubGlobal('AbortController', undefined)
    const clock = manualClock()
    const bodies: unknown[] = []
    const send = createFetchSend({
      readBody,
      clock,
      fetch: async (_url, init) => {
        bodies.push(init!.body)
        return bodies.length > 1 ? new Promise<never>(() => undefined) : new Response('{}')
      },
    })
    expect(await send(request('https://waymark.test/'))).toMatchObject({ status: 200, body: '{}' })
    const response = send(request('https://waymark.test/'))
    await clock.advance(10_000)
    expect(await response).toEqual(FAILED)
  })

  it('posts bytes with all headers, and returns status, body, Retry-After and ETag', async () => {
    const requests: unknown[] = []
    const url = await serve(async (incoming, response) => {
      const { method, headers } = incoming
      const { 'content-type': type, 'content-encoding': encoding, 'user-agent': agent } = headers
      requests.push({ method, type, encoding, agent, body: await buffer(incoming) })
      response.writeHead(503, { 'Retry-After': '3', ETag: 'W/"1"' }).end('{"code":"unavailable"}')
    })
    const clock = manualClock()
    const send = createFetchSend({ readBody, clock, headers: { 'User-Agent': 'waymark-node/1' } })
    const body = new Uint8Array([0x1f, 0x8b, 0, 255])
    const response = await send({ ...request(url, body), headers: { 'Content-Encoding': 'gzip' } })
    expect(response).toEqual({ status: 503, body: '{"code":"unavailable"}', retryAfter: '3', etag: 'W/"1"' })
    expect(requests).toEqual([
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

  it('sends a GET without a body, and does not treat 304 as a redirect', async () => {
    const requests: IncomingMessage[] = []
    const url = await serve((incoming, response) => {
      requests.push(incoming)
      response.writeHead(304, { ETag: '"1"' }).end()
    })
    const send = createFetchSend({ readBody, clock: manualClock(), headers: { Authorization: 'none' } })
    const response = await send({ ...request(url, ''), headers: { Authorization: 'Bearer k', 'If-None-Match': '"1"' } })
    expect(response).toEqual({ status: 304, body: '', retryAfter: null, etag: '"1"' })
    expect(requests.map(({ method }) => method)).toEqual(['GET'])
    expect(requests[0]!.headers).toMatchObject({ authorization: 'Bearer k', 'if-none-match': '"1"' })
    expect(requests[0]!.headers).not.toHaveProperty('content-type')
  })

  it.each([
    [301, '/login'],
    [302, '/login'],
    [303, 'https://waymark.test/batch'],
    [307, 'https://waymark.test/batch'],
    [308, '//waymark.test/batch'],
    [308, '/batch/'],
  ])('returns status 0 for a redirect %i to %s, and closes its connection', async (status, location) => {
    const requestedPaths: string[] = []
    let connectionClose: Promise<unknown> | undefined
    const url = await serve((incoming, response) => {
      requestedPaths.push(incoming.url!)
      connectionClose = new Promise((resolve) => incoming.socket.on('close', resolve))
      // The rest of the body never arrives.
      response.writeHead(status, { Location: location, 'Content-Length': 100 }).write('moved')
    })
    expect(await createFetchSend({ readBody, clock: manualClock() })(request(url))).toEqual({
      ...FAILED,
      failure: `a redirect ${status} to ${location}`,
    })
    await connectionClose
    expect(requestedPaths).toEqual(['/batch/'])
  })

  it('returns status 0 for redirects that fetch has followed or hides', async () => {
    const responses = [
      Object.defineProperty(new Response('login'), 'redirected', { value: true }),
      Object.defineProperty(new Response(''), 'type', { value: 'opaqueredirect' }),
    ]
    const send = createFetchSend({ readBody, clock: manualClock(), fetch: async () => responses.shift()! })
    expect(await send(request('http://x/'))).toEqual({ ...FAILED, failure: 'a redirect' })
    expect(await send(request('http://x/'))).toEqual({ ...FAILED, failure: 'a redirect' })
    expect(responses).toEqual([])
  })

  describe('with a proxy on the same origin that redirects', () => {
    /** Redirects by a map of paths; records `<method> <path> <body>` of each request. */
    const serveRedirects = async (status: number, targets: Record<string, string | undefined>) => {
      const requests: string[] = []
      const url = await serve(async (incoming, response) => {
        requests.push(`${incoming.method} ${incoming.url} ${(await buffer(incoming)).toString()}`)
        const target = targets[incoming.url!]
        if (target) response.writeHead(status, { Location: target }).end('moved')
        else response.writeHead(incoming.url!.startsWith('/missing') ? 404 : 200).end('{}')
      })
      const send = createFetchSend({ readBody, clock: manualClock() })
      return { url, host: url.replace('/batch/', ''), requests, targets, send }
    }

    it.each([301, 302, 307, 308])('follows a %i to the form without a slash, which it remembers', async (status) => {
      const { url, send, requests } = await serveRedirects(status, { '/batch/': '/batch' })
      expect(await send(request(url, '{"a":1}'))).toMatchObject({ status: 200, body: '{}' })
      expect(await send(request(url, '{"a":2}'))).toMatchObject({ status: 200 })
      expect(requests).toEqual(['POST /batch/ {"a":1}', 'POST /batch {"a":1}', 'POST /batch {"a":2}'])
    })

    it('follows a redirect with an absolute URL, a query, and to the form with a slash', async () => {
      const { host, targets, send, requests } = await serveRedirects(308, {})
      targets['/flags/definitions?token=k'] = `${host}/flags/definitions/?token=k`
      expect(await send(request(`${host}/flags/definitions?token=k`, ''))).toMatchObject({ status: 200 })
      expect(requests).toEqual(['GET /flags/definitions?token=k ', 'GET /flags/definitions/?token=k '])
    })

    it('follows a 307 to another path, but does not remember it', async () => {
      const { url, send, targets, requests } = await serveRedirects(307, { '/batch/': '/eu/batch/' })
      expect(await send(request(url))).toMatchObject({ status: 200 })
      delete targets['/batch/']
      expect(await send(request(url))).toMatchObject({ status: 200 })
      expect(requests).toEqual(['POST /batch/ {}', 'POST /eu/batch/ {}', 'POST /batch/ {}'])
    })

    it('follows at most three redirects', async () => {
      const { url, send, requests } = await serveRedirects(307, { '/batch/': '/a', '/a': '/b', '/b': '/a' })
      expect(await send(request(url))).toEqual({ ...FAILED, failure: 'a redirect 307 to /b' })
      expect(requests).toHaveLength(4)
    })

    it('begins with the usual form again after a failure of the other one', async () => {
      const { url, send, targets, requests } = await serveRedirects(308, { '/batch/': '/batch' })
      await send(request(url))
      targets['/batch'] = 'https://waymark.test/'
      expect(await send(request(url))).toMatchObject({ status: 0 })
      delete targets['/batch/']
      await send(request(url))
      expect(requests.slice(2)).toEqual(['POST /batch {}', 'POST /batch/ {}'])
    })

    it('tries the form without a slash where the runtime hides the target', async () => {
      const urls: unknown[] = []
      const hidden = Object.defineProperty(new Response(''), 'type', { value: 'opaqueredirect' })
      const send = createFetchSend({
        readBody,
        clock: manualClock(),
        fetch: async (url) => (urls.push(url), urls.length === 1 ? hidden : new Response('{}')),
      })
      expect(await send(request('http://x/batch/'))).toMatchObject({ status: 200 })
      expect(urls).toEqual(['http://x/batch/', 'http://x/batch'])
    })
  })

  it('returns status 0 for an invalid URL and for a refused or broken connection', async () => {
    const send = createFetchSend({ readBody, clock: manualClock() })
    const closedUrl = await serve(() => {})
    await new Promise((resolve) => servers.pop()!.close(resolve))
    expect(await send(request(closedUrl))).toEqual(FAILED)
    expect(await send(request('no address'))).toEqual(FAILED)
    const breakingUrl = await serve((incoming) => incoming.socket.destroy())
    expect(await send(request(breakingUrl))).toEqual(FAILED)
  })

  it('returns status 0 for an untrusted certificate', async () => {
    let hasRequest = false
    const url = await listen(
      createSecureServer(selfSigned, (_, response) => {
        hasRequest = true
        response.end()
      }),
      'https',
    )
    expect(await createFetchSend({ readBody, clock: manualClock() })(request(url))).toEqual(FAILED)
    expect(hasRequest).toBe(false)
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
    const response = createFetchSend({ readBody, clock })(request(url))
    await requestArrival
    await clock.advance(9_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    expect(await response).toEqual(FAILED)
    await connectionClose
  })

  it('returns status 0 at once when it is aborted, and aborts the request', async () => {
    let onArrival!: (incoming: IncomingMessage) => void
    const requestArrival = new Promise<IncomingMessage>((resolve) => (onArrival = resolve))
    const url = await serve(onArrival)
    const clock = manualClock()
    const aborts = new Set<() => void>()
    const response = createFetchSend({ readBody, clock })({ ...request(url), aborts })
    const { socket } = await requestArrival
    const connectionClose = new Promise((resolve) => socket.on('close', resolve))
    for (const abort of aborts) abort()
    expect(await response).toEqual(FAILED)
    await connectionClose
    expect([aborts.size, clock.pending()]).toEqual([0, 0])
  })

  it('returns status 0 when the body hangs or breaks off', async () => {
    let isBreaking = false
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{"status":')
      if (isBreaking) setImmediate(() => response.destroy())
    })
    const send = createFetchSend({ readBody, clock: createClock() })
    expect(await send({ ...request(url), timeoutMs: 50 })).toEqual(FAILED)
    isBreaking = true
    expect(await send(request(url))).toEqual(FAILED)
  })

  it('returns status 0 for a decompressed body over the limit (default 8 MiB)', async () => {
    const MEBIBYTE = 1024 * 1024
    let connectionClose: Promise<unknown> | undefined
    const url = await serve((incoming, response) => {
      connectionClose = new Promise((resolve) => incoming.socket.on('close', resolve))
      // The rest of the body never arrives.
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).write(gzipSync(Buffer.alloc(8 * MEBIBYTE + 1, 'a')))
    })
    const clock = manualClock()
    const send = createFetchSend({ readBody, clock })
    expect(await send(request(url))).toEqual(FAILED)
    await connectionClose
    expect(clock.pending()).toBe(0)
    const plainUrl = await serve((_, response) => response.end('a'.repeat(8 * MEBIBYTE)))
    expect((await send(request(plainUrl))).body).toHaveLength(8 * MEBIBYTE)
    expect(await send({ ...request(plainUrl), maxResponseBytes: MEBIBYTE })).toEqual(FAILED)
    expect((await send({ ...request(plainUrl), maxResponseBytes: 9 * MEBIBYTE })).status).toBe(200)
  })

  it('returns status 0 when fetch throws, never resolves, or timers are refused', async () => {
    const clock = manualClock()
    const sendByThrowingFetch = createFetchSend({
      readBody,
      clock,
      fetch: () => {
        throw new Error('broken')
      },
    })
    expect(await sendByThrowingFetch(request('http://x/'))).toEqual(FAILED)
    const pendingResponse = createFetchSend({ readBody, clock, fetch: () => new Promise(() => {}) })(
      request('http://x/'),
    )
    await clock.advance(10_000)
    expect(await pendingResponse).toEqual(FAILED)
    const after = () => {
      // The error of workerd outside of a request.
      throw new Error('Disallowed operation called within global scope')
    }
    expect(await createFetchSend({ readBody, clock: { ...clock, after } })(request('http://x/'))).toEqual(FAILED)
  })

  it('looks up fetch at each call', async () => {
    const send = createFetchSend({ readBody, clock: manualClock() })
    for (const body of ['first', 'second']) {
      vi.stubGlobal('fetch', async () => new Response(body))
      expect((await send(request('http://x/'))).body).toBe(body)
    }
  })

  it('passes no setting that an edge runtime refuses', async () => {
    const fetcher = vi.fn<typeof fetch>().mockImplementation(async () => new Response('ok'))
    await createFetchSend({ readBody, clock: manualClock(), fetch: fetcher })(request('http://x/'))
    const init = fetcher.mock.calls[0]![1]!
    expect(Object.keys(init).sort()).toEqual(['body', 'headers', 'method', 'redirect', 'signal'])
    expect(init.redirect).toBe('manual')
  })
})

describe('a request whose response must not be stored', () => {
  afterEach(() => Reflect.deleteProperty(globalThis, Symbol.for('next-patch')))

  /** The `cache` of the request that is sent by this `fetch`. */
  const cacheOf = async (properties: object, options: { noStore?: boolean; platformFetch?: typeof fetch } = {}) => {
    let cache: unknown = 'not called'
    const patched = Object.assign(async (_url: unknown, init?: RequestInit) => {
      cache = init!.cache
      return new Response('{}')
    }, properties)
    vi.stubGlobal('fetch', patched)
    const { noStore = true, platformFetch } = options
    await createFetchSend({ readBody, clock: manualClock(), platformFetch })({
      ...request('https://waymark.test/'),
      noStore,
    })
    return cache
  }

  it('says so to a fetch of Next.js that stores responses, and to no other', async () => {
    expect(await cacheOf({ __nextPatched: true })).toBe('no-store')
    expect(await cacheOf({ __nextPatched: true }, { noStore: false })).toBeUndefined()
    // Cloudflare refuses the option.
    expect(await cacheOf({})).toBeUndefined()
  })

  it('does not say so to later versions, which would not build a static page any more', async () => {
    Object.assign(globalThis, { [Symbol.for('next-patch')]: true })
    expect(await cacheOf({ __nextPatched: true })).toBeUndefined()
    expect(await cacheOf({ __nextPatched: true }, { platformFetch: fetch })).toBeUndefined()
  })

  it('says so on Node to any fetch that has replaced the platform’s', async () => {
    expect(await cacheOf({}, { platformFetch: fetch })).toBe('no-store')
  })
})
