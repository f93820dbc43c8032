import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

const service = shareService()

interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a request as a page of another site does. Not by `fetch`, which decodes the body. */
const send = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const options = { method, headers: { origin: 'https://shop.example', ...headers }, agent: false }
    request(service.url + path, options, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
        reject,
      )
    })
      .on('error', reject)
      .end()
  })

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer): Buffer => body }

/** Whether a body is the content of a built file. Without `toEqual`, which is slow on large buffers. */
const isFile = (body: Buffer, path: string): boolean => body.equals(readFileSync(path))

const hashedNameOf = async (name: string): Promise<string> =>
  String((await send(`/${name}`)).headers['content-location'])

test.each([
  ['waymark.js', 'dist/script-core.js'],
  ['waymark-full.js', 'dist/script.js'],
  ['waymark-delivery-1.js', 'dist/waymark-delivery-1.js'],
  ['waymark-capture.js', 'dist/script-capture.js'],
  ['waymark-debug.js', 'dist/waymark-debug.js'],
  ['waymark-extras.js', 'dist/waymark-extras.js'],
  ['waymark-lz64.js', 'dist/waymark-lz64.js'],
  ['waymark-tracing.js', 'dist/waymark-tracing.js'],
])('serves %s in each coding, under both of its names', async (name, path) => {
  for (const url of [`/${name}`, `/${await hashedNameOf(name)}`]) {
    for (const [encoding, decode] of Object.entries(decoders)) {
      const response = await send(url, { 'accept-encoding': encoding })
      expect([response.status, response.headers['content-encoding'] ?? 'identity']).toEqual([200, encoding])
      expect(Number(response.headers['content-length'])).toBe(response.body.length)
      expect(isFile(decode(response.body), path)).toBe(true)
    }
  }
})

test('sends the plain file to a client that names no coding', async () => {
  const response = await send('/waymark.js')
  expect(response.headers).not.toHaveProperty('content-encoding')
  expect(isFile(response.body, 'dist/script-core.js')).toBe(true)
})

test('brotli is smaller than gzip, and gzip than half of the file', async () => {
  const lengthOf = async (encoding: string): Promise<number> =>
    (await send('/waymark.js', { 'accept-encoding': encoding })).body.length
  const [br, gzip, identity] = await Promise.all(['br', 'gzip', 'identity'].map(lengthOf))
  expect(br).toBeLessThan(gzip!)
  expect(gzip).toBeLessThan(identity! / 2)
})

test('lets every page use the script, and caches tell the codings apart', async () => {
  expect((await send('/waymark.js', { 'accept-encoding': 'br' })).headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  })
})

test('browsers cache the plain name for minutes, and the name with the hash for ever', async () => {
  const name = await hashedNameOf('waymark.js')
  expect(name).toMatch(/^waymark\.[\da-f]{16}\.js$/)
  expect((await send('/waymark.js')).headers['cache-control']).toBe('public, max-age=300')
  const hashed = await send(`/${name}`)
  expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(hashed.headers).not.toHaveProperty('content-location')
})

test('responds with 304 and no body while the script is unchanged', async () => {
  const etags = new Set<string>()
  for (const encoding of ['br', 'gzip', 'identity']) {
    const headers = { 'accept-encoding': encoding }
    const { etag } = (await send('/waymark.js', headers)).headers
    etags.add(etag!)
    const response = await send('/waymark.js', { ...headers, 'if-none-match': `"other", W/${etag}` })
    expect([response.status, response.body.length]).toEqual([304, 0])
    expect(response.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' })
    expect((await send('/waymark.js', { ...headers, 'if-none-match': '"other"' })).status).toBe(200)
  }
  expect(etags.size).toBe(3)
})

test('a HEAD request gets the headers alone', async () => {
  const get = await send('/waymark.js', { 'accept-encoding': 'br' })
  const head = await send('/waymark.js', { 'accept-encoding': 'br' }, 'HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
  for (const name of ['content-length', 'content-type', 'content-encoding', 'etag', 'vary'])
    expect(head.headers[name]).toBe(get.headers[name])
})

test.each(['/waymark.0123456789abcdef.js', '/waymark-none.js', '/waymark.js.br', '/scripts/waymark.js'])(
  'responds with 404 for %s',
  async (url) => {
    const response = await send(url)
    expect([response.status, JSON.parse(String(response.body)).code]).toEqual([404, 'not_found'])
    // An older instance answers so while a newer one already has the script.
    expect(response.headers['cache-control']).toBe('no-store')
  },
)

test('refuses other methods', async () => {
  const response = await send('/waymark.js', {}, 'POST')
  expect([response.status, response.headers.allow]).toEqual([405, 'GET'])
})
