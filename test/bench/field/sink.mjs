import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** Matches the property that numbers the events of the bench, also in JSON within JSON. */
const ITEM = /\\?"bench_item\\?":(\d+)/g

const createFlags = () => ({
  config: { enable_collect_everything: true },
  toolbarParams: {},
  isAuthenticated: false,
  supportedCompression: ['gzip', 'gzip-js', 'lz64'],
  featureFlags: { 'new-checkout': 'calm', beta: true },
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
})

/** Counts of received events. Events that a package captures by itself are ignored. */
const createCounts = () => ({
  items: new Set(),
  events: 0,
  requests: 0,
  bodyBytes: 0,
  bytesWithHeaders: 0,
  preflights: 0,
})

/**
 * Starts a backend for all packages on its own origin, like a real one. It responds at once, decodes each body and counts events.
 */
export const startSink = async () => {
  const seen = createCounts()
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      allowCrossOrigin(request, response)
      if (request.method === 'OPTIONS') {
        seen.preflights++
        response.end()
        return
      }
      count(request, Buffer.concat(chunks), seen)
      const createResponse = RESPONSES.find(([path]) => request.url.startsWith(path))?.[1]
      if (!createResponse) response.statusCode = 404
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(createResponse?.() ?? {}))
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

const allowCrossOrigin = ({ headers }, response) => {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*')
  response.setHeader('Access-Control-Max-Age', '600')
  // A cross-origin isolated page requires this header.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

const count = ({ method, url, rawHeaders }, body, seen) => {
  const items = [...decodeBody(body).matchAll(ITEM)]
  if (!items.length) return
  for (const [, item] of items) seen.items.add(Number(item))
  seen.events += items.length
  seen.requests++
  seen.bodyBytes += body.length
  // The header as HTTP/1.1 writes it: the request line, "name: value\r\n" for each header, an empty line.
  const headerBytes = rawHeaders.reduce(
    (sum, text) => sum + text.length + 2,
    `${method} ${url} HTTP/1.1\r\n\r\n`.length,
  )
  seen.bytesWithHeaders += body.length + headerBytes
}

/** Returns the JSON in a body: gzip, a form with base64 JSON, or plain. */
const decodeBody = (body) => {
  const text = (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString()
  const form = /^data=([^&]*)/.exec(text)?.[1]
  return form ? Buffer.from(decodeURIComponent(form), 'base64').toString() : text
}

/**
 * Minimal responses that each package needs, by prefix of the path. The remote settings enable none of the additional scripts that a
 * real service may make a package load.
 */
const RESPONSES = [
  ['/decide', createFlags],
  ['/flags', createFlags],
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
