// @vitest-environment node
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSend } from '../../../src/platform/browser/send.ts'
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
    expect(await createSend(manualClock())(request(url))).toEqual(FAILED)
    expect(requestedPaths).toEqual(['/batch/'])
  })

  it('returns status 0 when the connection is refused', async () => {
    const url = await serve(() => {})
    server!.close()
    expect(await createSend(manualClock())(request(url))).toEqual(FAILED)
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
    expect(await sendByThrowingFetch(request('http://x/'))).toEqual(FAILED)
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
})
