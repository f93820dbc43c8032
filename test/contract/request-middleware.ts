import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/node.ts'
import type { RequestContext } from '../../src/port/request-context.ts'
import { contextVerbs } from '../support/context-verbs.ts'
import { sendRaw, formatRequest } from '../support/send-raw.ts'

/** Responds to a request after its body was read. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

export interface RunningServer {
  readonly port: number
  close(): Promise<unknown>
}

/** Starts a server of one framework with the middleware. The server reads request bodies as usual for that framework. */
export type Serve = (verbs: Waymark, handle: Handle, outer?: RequestContext) => Promise<RunningServer>

const headersOf = (id: string): Record<string, string> => ({
  'X-POSTHOG-DISTINCT-ID': id,
  'Content-Type': 'application/json',
})
const CLOSE_HEADERS = { Connection: 'close' }

/** Tests that the middleware of every framework must pass. */
export const requestMiddlewareContract = (name: string, serve: Serve): void => {
  describe(`request context: ${name}`, () => {
    let server: RunningServer | undefined
    afterEach(async () => {
      await server?.close()
      server = undefined
    })

    /** Sends requests to a new server, and returns the contexts that `handle` has recorded. */
    const request = async (
      parts: readonly string[],
      handle: (record: (label: string) => void, verbs: Waymark, ...rest: Parameters<Handle>) => unknown,
      outer?: RequestContext,
    ): Promise<[label: string, context: RequestContext | undefined][]> => {
      const verbs = contextVerbs()
      const observed: [string, RequestContext | undefined][] = []
      server = await serve(
        verbs,
        (request, response) =>
          handle((label) => void observed.push([label, verbs.getContext()]), verbs, request, response),
        outer,
      )
      await sendRaw(server.port, ...parts)
      expect(verbs.getContext()).toBeUndefined()
      return observed
    }
    const requestOnce = (headers: Record<string, string>, outer?: RequestContext, line = 'GET /shop?q=1') =>
      request(
        formatRequest(line, { ...headers, ...CLOSE_HEADERS }),
        (record, _verbs, _request, response) => {
          record('handler')
          response.end()
        },
        outer,
      )

    it('adds $current_url, $request_method, $request_path, $user_agent and $ip', async () => {
      expect(await requestOnce({ 'User-Agent': ' Browser/1\t' })).toEqual([
        [
          'handler',
          {
            properties: {
              $current_url: 'http://example.com:8080/shop?q=1',
              $request_method: 'GET',
              $request_path: '/shop',
              $user_agent: 'Browser/1',
              $ip: '127.0.0.1',
            },
          },
        ],
      ])
    })

    it('reads ids from headers in any case, and cleans them', async () => {
      const headers = {
        'x-pOSTHOG-diSTINCT-id': ` user\u0080-${'x'.repeat(1_000)} `,
        'X-POSTHOG-SESSION-ID': 'session\u009f-1',
      }
      const [[, context] = []] = await requestOnce(headers)
      expect(context).toMatchObject({ distinctId: `user-${'x'.repeat(995)}`, sessionId: 'session-1' })
    })

    it('reads the first value of a repeated header, and keeps commas inside ids', async () => {
      const headers = {
        'X-POSTHOG-DISTINCT-ID': 'Lovelace, Ada',
        'x-posthog-distinct-id': 'of-a-proxy',
        'X-POSTHOG-SESSION-ID': 'a, b',
      }
      const [[, context] = []] = await requestOnce(headers)
      expect(context).toMatchObject({ distinctId: 'Lovelace, Ada', sessionId: 'a, b' })
    })

    it('ignores an empty header', async () => {
      const [[, context] = []] = await requestOnce({ 'X-POSTHOG-DISTINCT-ID': ' ', 'X-POSTHOG-SESSION-ID': '' })
      expect(context).toMatchObject({ properties: { $request_method: 'GET' } })
      expect([context?.distinctId, context?.sessionId]).toEqual([undefined, undefined])
    })

    it('prefers an explicit distinct id and properties over those of the request', async () => {
      const [[, context] = []] = await requestOnce(headersOf('claimed'), {
        distinctId: 'signed-in',
        properties: { $user_agent: 'ours', plan: 'pro' },
      })
      expect(context).toMatchObject({
        distinctId: 'signed-in',
        properties: { $user_agent: 'ours', plan: 'pro', $request_path: '/shop' },
      })
    })

    it('ignores forwarding headers of the client', async () => {
      const headers = {
        'X-Forwarded-For': '203.0.113.9',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'https',
      }
      const [[, context] = []] = await requestOnce({ ...headers, Forwarded: 'for=203.0.113.9' })
      expect(context?.properties).toMatchObject({
        $ip: '127.0.0.1',
        $current_url: 'http://example.com:8080/shop?q=1',
      })
    })

    it('reads URL and path of a request whose target is a whole URL', async () => {
      const [[, context] = []] = await requestOnce({}, undefined, 'GET http://proxied.example/shop?q=1')
      expect(context?.properties).toMatchObject({
        $current_url: 'http://proxied.example/shop?q=1',
        $request_path: '/shop',
      })
    })

    it('keeps the context of a request until its last event', async () => {
      const [head, body] = formatRequest('POST /', { ...headersOf('a'), ...CLOSE_HEADERS }, '{"a":1}')
      const observed = await request(
        [head, body.slice(0, 3), body.slice(3)],
        async (record, _verbs, request, response) => {
          record('handler')
          request.on('close', () => record('request close'))
          response.on('finish', () => record('finish'))
          await sleep(1)
          record('later')
          response.end(() => record('sent'))
        },
      )
      expect(observed.map(([label, context]) => [label, context?.distinctId])).toEqual(
        expect.arrayContaining(['handler', 'later', 'finish', 'sent'].map((label) => [label, 'a'])),
      )
      expect(observed.filter(([, context]) => context?.distinctId !== 'a')).toEqual([])
    })

    it('separates pipelined requests of one connection', async () => {
      const [head, body] = formatRequest('POST /', headersOf('a'), '{"a":1}')
      const laterRequests =
        formatRequest('GET /', headersOf('b'))[0] + formatRequest('GET /', { ...headersOf('c'), ...CLOSE_HEADERS })[0]
      const observed = await request([head, body + laterRequests], async (record, _verbs, request, response) => {
        const id = request.headers['x-posthog-distinct-id'] as string
        record(id)
        response.on('finish', () => record(id))
        response.on('close', () => record(id))
        // The handler ends later requests before the first one.
        await sleep(id === 'a' ? 30 : 1)
        record(id)
        response.end()
      })
      expect(observed.length).toBe(12)
      expect(observed.filter(([id, context]) => context?.distinctId !== id)).toEqual([])
    })

    it('keeps a context that a handler has set, also in event listeners', async () => {
      const [head, body] = formatRequest('POST /', { ...headersOf('claimed'), ...CLOSE_HEADERS }, '{}')
      const observed = await request([head, body], (record, { withContext }, _request, response) =>
        withContext({ distinctId: 'signed-in', properties: { plan: 'pro' } }, async () => {
          await sleep(1)
          response.on('pipe', () => record('event'))
          response.emit('pipe')
          record('later')
          response.end()
        }),
      )
      expect(observed.map(([label, context]) => [label, context?.distinctId, context?.properties?.['plan']])).toEqual([
        ['event', 'signed-in', 'pro'],
        ['later', 'signed-in', 'pro'],
      ])
    })
  })
}
