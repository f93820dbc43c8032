import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** The property that numbers a bench's events: found in every package's form, JSON within JSON too. */
const ITEM = /\\?"bench_item\\?":(\d+)/g

const flags = () => ({
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
  supportedCompression: ['gzip', 'gzip-js', 'lz64'],
  featureFlags: { 'new-checkout': 'calm', beta: true },
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
})

/** What has come in, of the bench's own events only: what a package captures by itself is another matter. */
const nothingSeen = () => ({
  items: new Set(),
  events: 0,
  requests: 0,
  bodyBytes: 0,
  bytesWithHeaders: 0,
  preflights: 0,
})

/**
 * A backend of every package, on an origin of its own as a real one is: answers at once, opens each body and counts.
 */
export const startSink = async () => {
  const seen = nothingSeen()
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      allow(request, response)
      if (request.method === 'OPTIONS') {
        seen.preflights++
        response.end()
        return
      }
      count(request, Buffer.concat(chunks), seen)
      const answer = ANSWERS.find(([path]) => request.url.startsWith(path))?.[1]
      if (!answer) response.statusCode = 404
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(answer?.() ?? {}))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

const allow = ({ headers }, response) => {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*')
  response.setHeader('Access-Control-Max-Age', '600')
  // A cross-origin isolated page takes nothing else.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

const count = ({ method, url, rawHeaders }, body, seen) => {
  const items = [...readable(body).matchAll(ITEM)]
  if (!items.length) return
  for (const [, item] of items) seen.items.add(Number(item))
  seen.events += items.length
  seen.requests++
  seen.bodyBytes += body.length
  // As HTTP/1.1 writes it: "name: value\r\n" each, the request line before, an empty line behind.
  const head = rawHeaders.reduce((sum, text) => sum + text.length + 2, `${method} ${url} HTTP/1.1\r\n\r\n`.length)
  seen.bytesWithHeaders += body.length + head
}

/** The JSON inside a body: gzip, a form with base64 JSON, or as it is. */
const readable = (body) => {
  const text = (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString()
  const form = /^data=([^&]*)/.exec(text)?.[1]
  return form ? Buffer.from(decodeURIComponent(form), 'base64').toString() : text
}

/**
 * What each package must be told to work, by the beginning of the path. The remote settings switch on none of the further scripts that
 * a real service may make a package load.
 */
const ANSWERS = [
  ['/decide', flags],
  ['/flags', flags],
  ['/array/bench/config', () => ({ supportedCompression: ['gzip', 'gzip-js'], hasFeatureFlags: true })],
  ['/batch', () => ({ status: 1 })],
  ['/i/v0/e', () => ({ status: 1 })],
  ['/e/', () => ({ status: 1 })],
  ['/2/httpapi', () => ({ code: 200, events_ingested: 1, payload_size_bytes: 1, server_upload_time: Date.now() })],
  ['/config', () => ({ configs: {} })],
  ['/v1/projects/', () => ({ integrations: { 'Segment.io': { apiKey: 'bench' } } })],
  ['/v1/', () => ({ success: true })],
  ['/com.snowplowanalytics.snowplow/tp2', () => 'ok'],
]
