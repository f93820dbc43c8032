import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/entry/node.ts'
import type { RequestContext } from '../../src/port/request-context.ts'
import { contextVerbs } from '../support/context-verbs.ts'
import { sendRaw, formatRequest } from '../support/send-raw.ts'

/** Answers a request, once its body has been read. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server that runs. */
export interface RunningServer {
  readonly port: number
  close(): Promise<unknown>
}

/** Starts a server of one framework, with the middleware, and reads bodies as that framework's users do. */
export type Serve = (verbs: Waymark, handle: Handle, outer?: RequestContext) => Promise<RunningServer>

const asking = (id: string): Record<string, string> => ({
  'X-POSTHOG-DISTINCT-ID': id,
  'Content-Type': 'application/json',
})
const END = { Connection: 'close' }

/** What the middleware of every framework promises. */
export const requestMiddlewareContract = (name: string, serve: Serve): void => {
  describe(`request context: ${name}`, () => {
    let server: RunningServer | undefined
    afterEach(async () => {
      await server?.close()
      server = undefined
    })

    /** Asks a new server, and answers the contexts that `handle` has noted. */
    const ask = async (
      parts: readonly string[],
      handle: (note: (what: string) => void, verbs: Waymark, ...rest: Parameters<Handle>) => unknown,
      outer?: RequestContext,
    ): Promise<[what: string, context: RequestContext | undefined][]> => {
      const verbs = contextVerbs()
      const seen: [string, RequestContext | undefined][] = []
      server = await serve(
        verbs,
        (request, response) => handle((what) => void seen.push([what, verbs.getContext()]), verbs, request, response),
        outer,
      )
      await sendRaw(server.port, ...parts)
      expect(verbs.getContext()).toBeUndefined()
      return seen
    }
    const once = (headers: Record<string, string>, outer?: RequestContext, line = 'GET /shop?q=1') =>
      ask(
        formatRequest(line, { ...headers, ...END }),
        (note, _verbs, _request, response) => {
          note('handler')
          response.end()
        },
        outer,
      )

    it('adds $current_url, $request_method, $request_path, $user_agent and $ip', async () => {
      expect(await once({ 'User-Agent': ' Browser/1\t' })).toEqual([
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

    it('takes distinct id and session id from headers in any case, trimmed, without control characters, of at most 1,000', async () => {
      const headers = {
        'x-pOSTHOG-diSTINCT-id': ` user\u0080-${'x'.repeat(1_000)} `,
        'X-POSTHOG-SESSION-ID': 'session\u009f-1',
      }
      const [[, context] = []] = await once(headers)
      expect(context).toMatchObject({ distinctId: `user-${'x'.repeat(995)}`, sessionId: 'session-1' })
    })

    it('takes the first of a header that came several times, and leaves a comma in one id alone', async () => {
      const headers = {
        'X-POSTHOG-DISTINCT-ID': 'Lovelace, Ada',
        'x-posthog-distinct-id': 'of-a-proxy',
        'X-POSTHOG-SESSION-ID': 'a, b',
      }
      const [[, context] = []] = await once(headers)
      expect(context).toMatchObject({ distinctId: 'Lovelace, Ada', sessionId: 'a, b' })
    })

    it('takes an empty header for none', async () => {
      const [[, context] = []] = await once({ 'X-POSTHOG-DISTINCT-ID': ' ', 'X-POSTHOG-SESSION-ID': '' })
      expect(context).toMatchObject({ properties: { $request_method: 'GET' } })
      expect([context?.distinctId, context?.sessionId]).toEqual([undefined, undefined])
    })

    it('lets an explicit distinct id and explicit properties win over what the request claims', async () => {
      const [[, context] = []] = await once(asking('claimed'), {
        distinctId: 'signed-in',
        properties: { $user_agent: 'ours', plan: 'pro' },
      })
      expect(context).toMatchObject({
        distinctId: 'signed-in',
        properties: { $user_agent: 'ours', plan: 'pro', $request_path: '/shop' },
      })
    })

    it('believes no forwarding header of whoever asks', async () => {
      const headers = {
        'X-Forwarded-For': '203.0.113.9',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'https',
      }
      const [[, context] = []] = await once({ ...headers, Forwarded: 'for=203.0.113.9' })
      expect(context?.properties).toMatchObject({
        $ip: '127.0.0.1',
        $current_url: 'http://example.com:8080/shop?q=1',
      })
    })

    it('answers a request whose target is a whole address', async () => {
      const [[, context] = []] = await once({}, undefined, 'GET http://proxied.example/shop?q=1')
      expect(context?.properties).toMatchObject({
        $current_url: 'http://proxied.example/shop?q=1',
        $request_path: '/shop',
      })
    })

    it('keeps the context of a request whose body arrives late, through all that is awaited and to its last event', async () => {
      const [head, body] = formatRequest('POST /', { ...asking('a'), ...END }, '{"a":1}')
      const seen = await ask([head, body.slice(0, 3), body.slice(3)], async (note, _verbs, request, response) => {
        note('handler')
        request.on('close', () => note('request close'))
        response.on('finish', () => note('finish'))
        await sleep(1)
        note('later')
        response.end(() => note('sent'))
      })
      expect(seen.map(([what, context]) => [what, context?.distinctId])).toEqual(
        expect.arrayContaining(['handler', 'later', 'finish', 'sent'].map((what) => [what, 'a'])),
      )
      expect(seen.filter(([, context]) => context?.distinctId !== 'a')).toEqual([])
    })

    it('keeps apart requests that wait for each other in one connection', async () => {
      const [head, body] = formatRequest('POST /', asking('a'), '{"a":1}')
      const others = formatRequest('GET /', asking('b'))[0] + formatRequest('GET /', { ...asking('c'), ...END })[0]
      const seen = await ask([head, body + others], async (note, _verbs, request, response) => {
        const id = request.headers['x-posthog-distinct-id'] as string
        note(id)
        response.on('finish', () => note(id))
        response.on('close', () => note(id))
        // The last one is ready first.
        await sleep(id === 'a' ? 30 : 1)
        note(id)
        response.end()
      })
      expect(seen.length).toBe(12)
      expect(seen.filter(([id, context]) => context?.distinctId !== id)).toEqual([])
    })

    it('keeps what a handler has laid over it, also in the events that come of it', async () => {
      const [head, body] = formatRequest('POST /', { ...asking('claimed'), ...END }, '{}')
      const seen = await ask([head, body], (note, { withContext }, _request, response) =>
        withContext({ distinctId: 'signed-in', properties: { plan: 'pro' } }, async () => {
          await sleep(1)
          response.on('pipe', () => note('event'))
          response.emit('pipe')
          note('later')
          response.end()
        }),
      )
      expect(seen.map(([what, context]) => [what, context?.distinctId, context?.properties?.['plan']])).toEqual([
        ['event', 'signed-in', 'pro'],
        ['later', 'signed-in', 'pro'],
      ])
    })
  })
}
