import { describe, expect, it } from 'vitest'
import { contextOfRequest, under } from '../../../src/autocapture/node/context-of-request.ts'
import type { RequestFacts } from '../../../src/autocapture/node/context-of-request.ts'

const facts = (change: Partial<RequestFacts> = {}, headers: Record<string, string> = {}): RequestFacts => ({
  method: 'GET',
  url: '/shop?q=1',
  origin: 'https://example.com',
  ip: '192.0.2.1',
  header: (name) => headers[name],
  ...change,
})

describe('the context of a request', () => {
  it('adds $current_url, $request_method, $request_path, $user_agent and $ip', () => {
    expect(contextOfRequest(facts({}, { 'user-agent': 'Browser/1 ' })).properties).toEqual({
      $current_url: 'https://example.com/shop?q=1',
      $request_method: 'GET',
      $request_path: '/shop',
      $user_agent: 'Browser/1',
      $ip: '192.0.2.1',
    })
  })

  it('takes distinct id and session id from the tracing headers, cleaned', () => {
    const headers = { 'x-posthog-distinct-id': ' user-1\u0000', 'x-posthog-session-id': 's'.repeat(2_000) }
    expect(contextOfRequest(facts({}, headers))).toMatchObject({ distinctId: 'user-1', sessionId: 's'.repeat(1_000) })
  })

  it('leaves out what a request does not tell', () => {
    const context = contextOfRequest({ method: undefined, url: undefined, header: () => '' })
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
  ])('finds path and address of %s', (url, path, address) => {
    expect(contextOfRequest(facts({ url })).properties).toMatchObject({ $request_path: path, $current_url: address })
  })

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:c000:201', '::ffff:c000:201'],
  ])('writes the address %s as %s', (ip, expected) => {
    expect(contextOfRequest(facts({ ip })).properties).toMatchObject({ $ip: expected })
  })

  it('lets an explicit distinct id and explicit properties win', () => {
    const told = contextOfRequest(facts({}, { 'x-posthog-distinct-id': 'claimed', 'x-posthog-session-id': 's-1' }))
    const context = under({ distinctId: 'signed-in', properties: { $ip: 'mine', plan: 'pro' } }, told)
    expect(context).toMatchObject({ distinctId: 'signed-in', sessionId: 's-1' })
    expect(context.properties).toMatchObject({ $ip: 'mine', plan: 'pro', $request_path: '/shop' })
  })
})
