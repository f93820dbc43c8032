import { describe, expect, it, vi } from 'vitest'
import { createEdgeContext } from '../../../src/autocapture/node/edge-context.ts'
import { createRequestContexts } from '../../../src/platform/edge/request-contexts.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { contextVerbs } from '../../support/context-verbs.ts'

const request = (headers: Record<string, string> = {}) =>
  new Request('https://example.com:8443/shop?q=1', { method: 'POST', body: '{}', headers })

describe('edgeContext', () => {
  it('takes the context from a Request, and keeps it through all that is awaited', async () => {
    const verbs = contextVerbs()
    const handler = createEdgeContext(verbs, createRequestContexts(), async (asked: Request) => {
      await asked.text()
      return verbs.getContext()
    })
    const headers = {
      'X-PostHog-Distinct-Id': ' user-1 ',
      'X-PostHog-Session-Id': 'session-1',
      'User-Agent': 'Browser/1',
      'X-Forwarded-For': '203.0.113.9',
    }
    expect(await handler(request(headers))).toEqual({
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

  it('keeps requests apart that are handled at the same time', async () => {
    const verbs = contextVerbs()
    const handler = createEdgeContext(verbs, createRequestContexts(), async (asked: Request, turns: number) => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      return [asked.headers.get('x-posthog-distinct-id'), verbs.getContext()?.distinctId]
    })
    const all = [5, 1, 3].map((turns) => handler(request({ 'x-posthog-distinct-id': `user-${turns}` }), turns))
    expect(await Promise.all(all)).toEqual([5, 1, 3].map((turns) => [`user-${turns}`, `user-${turns}`]))
  })

  it('asks whoever knows the platform for the address', async () => {
    const verbs = contextVerbs()
    const ip = (asked: Request) => asked.headers.get('cf-connecting-ip')
    const handler = createEdgeContext(verbs, createRequestContexts(), () => verbs.getContext(), { ip })
    expect(handler(request({ 'CF-Connecting-IP': '192.0.2.7' }))?.properties).toMatchObject({ $ip: '192.0.2.7' })
    expect(handler(request())?.properties).not.toHaveProperty('$ip')
  })

  /** As Cloudflare's execution context: it knows when its method was taken off it. */
  const execution = () => {
    const waited: Promise<unknown>[] = []
    return {
      waited,
      waitUntil(work: Promise<unknown>) {
        if (this?.waited !== waited) throw new TypeError('Illegal invocation')
        waited.push(work)
      },
    }
  }

  it('asks the runtime to wait for the delivery, which begins once the request is answered', async () => {
    const order: string[] = []
    const verbs = { ...contextVerbs(), flush: async () => void order.push('flushed') }
    const env = { KV: {} }
    const handler = createEdgeContext(
      verbs,
      createRequestContexts(),
      async (_asked: Request, given: object, _context: object) => {
        expect(given).toBe(env)
        await Promise.resolve()
        order.push('answered')
        return new Response('ok')
      },
    )
    const context = execution()
    expect(await (await handler(request(), env, context)).text()).toBe('ok')
    expect(context.waited).toHaveLength(1)
    await context.waited[0]
    expect(order).toEqual(['answered', 'flushed'])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('of the handler'))],
    [
      'throws',
      () => {
        throw new Error('of the handler')
      },
    ],
  ])('delivers also when the handler %s, and leaves the failure to its caller', async (_, fail) => {
    const flush = vi.fn<() => Promise<void>>(async () => {})
    const context = execution()
    const handler = createEdgeContext(
      { ...contextVerbs(), flush },
      createRequestContexts(),
      (_asked: Request, _context: object) => fail(),
    )
    await expect((async () => handler(request(), context))()).rejects.toThrow('of the handler')
    expect(context.waited).toHaveLength(1)
    await context.waited[0]
    expect(flush).toHaveBeenCalledOnce()
  })

  it('answers where the runtime refuses to wait, and where it cannot wait at all', () => {
    const handler = createEdgeContext(
      contextVerbs(),
      createRequestContexts(),
      (_asked: Request, ..._rest: unknown[]) => 'answer',
    )
    const refusing = {
      waitUntil() {
        throw new Error('too late')
      },
    }
    expect([handler(request(), refusing), handler(request(), null, undefined, 7)]).toEqual(['answer', 'answer'])
  })

  it('handles a request of which nothing can be read', () => {
    const verbs = contextVerbs()
    const seen: (RequestContext | undefined)[] = []
    const handler = createEdgeContext(verbs, createRequestContexts(), () => void seen.push(verbs.getContext()))
    handler({} as Request)
    expect(seen).toEqual([{ properties: {} }])
  })
})
