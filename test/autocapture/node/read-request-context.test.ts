import { describe, expect, it } from 'vitest'
import { readRequestContext, mergeOuterContext } from '../../../src/autocapture/node/read-request-context.ts'
import type { RequestInfo } from '../../../src/autocapture/node/read-request-context.ts'

const requestInfo = (change: Partial<RequestInfo> = {}, headers: Record<string, string> = {}): RequestInfo => ({
  method: 'GET',
  url: '/shop?q=1',
  origin: 'https://example.com',
  ip: '192.0.2.1',
  header: (name) => headers[name],
  ...change,
})

describe('readRequestContext', () => {
  it('adds $current_url, $request_method, $request_path, $user_agent and $ip', () => {
    expect(readRequestContext(requestInfo({}, { 'user-agent': 'Browser/1 ' })).properties).toEqual({
      $current_url: 'https://example.com/shop?q=1',
      $request_method: 'GET',
      $request_path: '/shop',
      $user_agent: 'Browser/1',
      $ip: '192.0.2.1',
    })
  })

  it('reads distinct id and session id from the tracing headers, and cleans them', () => {
    const headers = { 'x-posthog-distinct-id': ' user-1\u0000', 'x-posthog-session-id': 's'.repeat(2_000) }
    expect(readRequestContext(requestInfo({}, headers))).toMatchObject({
      distinctId: 'user-1',
      sessionId: 's'.repeat(1_000),
    })
  })

  it('omits properties that the request does not have', () => {
    const context = readRequestContext({ method: undefined, url: undefined, header: () => '' })
    expect(context).toEqual({ distinctId: undefined, sessionId: undefined, properties: { $request_path: '/' } })
  })

  it.each([
    ['/', '/', 'https://example.com/'],
    ['/a/b?c=/d#e', '/a/b', 'https://example.com/a/b?c=/d#e'],
    ['//evil.example/x?y', '//evil.example/x', 'https://example.com//evil.example/x?y'],
    ['/?next=http://other/', '/', 'https://example.com/?next=http://other/'],
    ['http://proxied.example/a?b', '/a', 'http://proxied.example/a?b'],
    ['https://proxied.example?b', '/', 'https://proxied.example?b'],
    ['*', '*', '*'],
    ['/line\u2028break?x', '/line\u2028break', 'https://example.com/line\u2028break?x'],
  ])('reads path and URL of %s', (url, path, currentUrl) => {
    expect(readRequestContext(requestInfo({ url })).properties).toMatchObject({
      $request_path: path,
      $current_url: currentUrl,
    })
  })

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:c000:201', '::ffff:c000:201'],
  ])('normalises the IP address %s to %s', (ip, expected) => {
    expect(readRequestContext(requestInfo({ ip })).properties).toMatchObject({ $ip: expected })
  })

  it("prefers the outer context's distinct id and properties when it merges", () => {
    const requestContext = readRequestContext(
      requestInfo({}, { 'x-posthog-distinct-id': 'claimed', 'x-posthog-session-id': 's-1' }),
    )
    const context = mergeOuterContext(
      { distinctId: 'signed-in', properties: { $ip: 'mine', plan: 'pro' } },
      requestContext,
    )
    expect(context).toMatchObject({ distinctId: 'signed-in', sessionId: 's-1' })
    expect(context.properties).toMatchObject({ $ip: 'mine', plan: 'pro', $request_path: '/shop' })
  })
})
