import { expect, test } from 'vitest'
import { requestUrl } from '../../../src/service/http/request-url.ts'

const request = (
  remoteAddress: string,
  options: { publicUrl?: string; host?: string; url?: string; localAddress?: string },
) => ({
  headers: { host: options.host ?? 'evil.example' },
  url: options.url ?? '/api/users/?limit=1',
  server: { publicUrl: options.publicUrl ?? null },
  socket: { remoteAddress, localAddress: options.localAddress ?? '10.0.0.5', localPort: 8010 },
})

test.each([
  ['127.0.0.1', {}, 'http://evil.example/api/users/?limit=1'],
  ['::1', { host: 'localhost:8010' }, 'http://localhost:8010/api/users/?limit=1'],
  ['::ffff:127.0.0.1', { host: 'localhost' }, 'http://localhost/api/users/?limit=1'],
  ['10.0.0.9', {}, 'http://10.0.0.5:8010/api/users/?limit=1'],
  ['2001:db8::9', { localAddress: 'fe80::1%eth0' }, 'http://[fe80::1]:8010/api/users/?limit=1'],
  ['10.0.0.9', { localAddress: '::ffff:10.0.0.5' }, 'http://10.0.0.5:8010/api/users/?limit=1'],
  ['10.0.0.9', { url: 'http://evil.example/api/users/' }, 'http://10.0.0.5:8010/api/users/'],
  ['10.0.0.9', { url: '//evil.example/' }, 'http://10.0.0.5:8010//evil.example/'],
  ['127.0.0.1', { publicUrl: 'https://a.example/x/' }, 'https://a.example/x/api/users/?limit=1'],
])('the URL of a request from %s with %j is %s', (remoteAddress, options, url) => {
  expect(requestUrl(request(remoteAddress, options)).href).toBe(url)
})

test('refuses a malformed Host', () => {
  expect(() => requestUrl(request('127.0.0.1', { host: 'a b' }))).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'malformed_host' }) }),
  )
})
