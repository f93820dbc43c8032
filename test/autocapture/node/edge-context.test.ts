import { describe, expect, it, vi } from 'vitest'
import { createEdgeContext } from '../../../src/autocapture/node/edge-context.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { contextVerbs } from '../../support/context-verbs.ts'

const createRequest = (headers: Record<string, string> = {}) =>
  new Request('https://example.com:8443/shop?q=1', { method: 'POST', body: '{}', headers })

describe('edgeContext', () => {
  it('reads the context from a Request, and keeps it after an await', async () => {
    const verbs = contextVerbs()
    const handler = createEdgeContext(verbs, createRequestContexts(), async (request: Request) => {
      await request.text()
      return verbs.getContext()
    })
    const headers = {
      'X-PostHog-Distinct-Id': ' user-1 ',
      'X-PostHog-Session-Id': 'session-1',
      'User-Agent': 'Browser/1',
      'X-Forwarded-For': '203.0.113.9',
    }
    expect(await handler(createRequest(headers))).toEqual({
      distinctId: 'user-1',
      sessionId: 'session-1',
      properties: {
        $current_url: 'https://example.com:8443/shop?q=1',
        $request_method: 'POST',
        $request_path: '/shop',
        $user_agent: 'Browser/1',
      },
    })
    expect(verbs.getContext()).toBeUndefined()
  })

  it('keeps the contexts of concurrent requests separate', async () => {
    const verbs = contextVerbs()
    const handler = createEdgeContext(verbs, createRequestContexts(), async (request: Request, awaits: number) => {
      for (let count = 0; count < awaits; count++) await Promise.resolve()
      return [request.headers.get('x-posthog-distinct-id'), verbs.getContext()?.distinctId]
    })
    const all = [5, 1, 3].map((awaits) => handler(createRequest({ 'x-posthog-distinct-id': `user-${awaits}` }), awaits))
    expect(await Promise.all(all)).toEqual([5, 1, 3].map((awaits) => [`user-${awaits}`, `user-${awaits}`]))
  })

  it('reads the IP address with the option `ip`', async () => {
    const verbs = contextVerbs()
    const ip = (request: Request) => request.headers.get('cf-connecting-ip')
    const handler = createEdgeContext(verbs, createRequestContexts(), () => verbs.getContext(), { ip })
    expect(handler(createRequest({ 'CF-Connecting-IP': '192.0.2.7' }))?.properties).toMatchObject({ $ip: '192.0.2.7' })
    expect(handler(createRequest())?.properties).not.toHaveProperty('$ip')
  })

  /** Like Cloudflare's execution context, it throws if `waitUntil` is called without its object. */
  const execution = () => {
    const pending: Promise<unknown>[] = []
    return {
      pending,
      waitUntil(work: Promise<unknown>) {
        if (this?.pending !== pending) throw new TypeError('Illegal invocation')
        pending.push(work)
      },
    }
  }

  it('makes the runtime wait for the delivery, which starts after the response', async () => {
    const order: string[] = []
    const verbs = { ...contextVerbs(), flush: async () => void order.push('flushed') }
    const env = { KV: {} }
    const handler = createEdgeContext(
      verbs,
      createRequestContexts(),
      async (_request: Request, receivedEnv: object, _context: object) => {
        expect(receivedEnv).toBe(env)
        await Promise.resolve()
        order.push('responded')
        return new Response('ok')
      },
    )
    const context = execution()
    expect(await (await handler(createRequest(), env, context)).text()).toBe('ok')
    expect(context.pending).toHaveLength(1)
    await context.pending[0]
    expect(order).toEqual(['responded', 'flushed'])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('handler failed'))],
    [
      'throws',
      () => {
        throw new Error('handler failed')
      },
    ],
  ])('delivers events when the handler %s, and passes the error to the caller', async (_, fail) => {
    const flush = vi.fn<() => Promise<void>>(async () => {})
    const context = execution()
    const handler = createEdgeContext(
      { ...contextVerbs(), flush },
      createRequestContexts(),
      (_request: Request, _context: object) => fail(),
    )
    await expect((async () => handler(createRequest(), context))()).rejects.toThrow('handler failed')
    expect(context.pending).toHaveLength(1)
    await context.pending[0]
    expect(flush).toHaveBeenCalledOnce()
  })

  it('returns the response even if waitUntil throws or is missing', () => {
    const handler = createEdgeContext(
      contextVerbs(),
      createRequestContexts(),
      (_request: Request, ..._rest: unknown[]) => 'response',
    )
    const refusing = {
      waitUntil() {
        throw new Error('too late')
      },
    }
    expect([handler(createRequest(), refusing), handler(createRequest(), null, undefined, 7)]).toEqual([
      'response',
      'response',
    ])
  })

  it('calls the handler with an empty context if the request cannot be read', () => {
    const verbs = contextVerbs()
    const contexts: (RequestContext | undefined)[] = []
    const handler = createEdgeContext(verbs, createRequestContexts(), () => void contexts.push(verbs.getContext()))
    handler({} as Request)
    expect(contexts).toEqual([{ properties: {} }])
  })
})
