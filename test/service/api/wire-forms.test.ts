import { gzipSync as nodeGzip } from 'node:zlib'
import { gzipSync, strToU8 } from 'fflate'
import lzString from 'lz-string'
import { PostHog as PostHog5 } from 'posthog-node'
import { PostHog as PostHog4 } from 'posthog-node-4'
import { expect, test } from 'vitest'
import { loadPosthogJsRequest } from '../support/posthog-js-request.ts'
import { parseJsonColumn, shareService } from '../support/shared-service.ts'
import type { JsonResponse } from '../support/shared-service.ts'

/** The body formats that senders use. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const PLAIN = { 'content-type': 'text/plain' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** Characters that break careless transports: the special characters of base64 and forms, and surrogate pairs. */
const TEXT = 'größe € 🎉 ???>>>~~~ a+b&c=d%2B%zz \u2028 "\\" \uD800'

const eventOf = (marker: string) => ({
  event: 'sent',
  properties: { distinct_id: marker, token: service.apiKey, text: TEXT },
})
const arrayOf = (marker: string) => JSON.stringify([eventOf(marker), eventOf(marker)])
const batchOf = (marker: string) =>
  JSON.stringify({
    api_key: service.apiKey,
    batch: [eventOf(marker), eventOf(marker)],
    sent_at: new Date().toISOString(),
  })
const base64Of = (text: string) => Buffer.from(text).toString('base64')
/** Compresses as the browser packages do. */
const gzipOf = (text: string) => gzipSync(strToU8(text), { mtime: 0 })
const query = (moreParameters = '') => `?ip=1&_=${Date.now()}&ver=1.150.0${moreParameters}`

/** A lone surrogate is stored as the replacement character. */
const STORED_TEXT = TEXT.replace('\uD800', '\uFFFD')

const expectStored = async (marker: string, count: number): Promise<void> => {
  const rows = await service.queryStored(
    `select properties from events where event = 'sent' and distinct_id = '${marker}'`,
  )
  expect([marker, rows.length]).toEqual([marker, count])
  for (const [properties] of rows) expect(parseJsonColumn(properties).text).toBe(STORED_TEXT)
}

const expectAccepted = async (marker: string, response: JsonResponse, count = 2): Promise<void> => {
  expect([marker, response.status, response.body]).toEqual([marker, 200, { status: 1 }])
  await expectStored(marker, count)
}

// API: | plain JSON array/object | POST, `application/json` |
test('reads plain JSON: an array, a batch and a single event', async () => {
  await expectAccepted('array', await service.post('/e/', arrayOf('array'), JSON_TYPE))
  await expectAccepted('array, queried', await service.post(`/e/${query()}`, arrayOf('array, queried'), JSON_TYPE))
  await expectAccepted('object', await service.post('/batch/', batchOf('object'), JSON_TYPE))
  const single = { ...eventOf('single'), api_key: service.apiKey }
  await expectAccepted('single', await service.post('/i/v0/e/', JSON.stringify(single), JSON_TYPE), 1)
  const token = { token: service.apiKey, batch: [eventOf('token')] }
  await expectAccepted('token', await service.post('/e/', token, JSON_TYPE), 1)
})

// API: | gzip body, no param | `POST /i/v0/e/` (or /e/), `Content-Type: text/plain`, body gzip bytes of
// `{"api_key","batch":[...],"sent_at":ISO}`; no query at all |
test('reads a gzip batch typed text/plain without a compression parameter', async () => {
  for (const path of ['/i/v0/e/', '/e/']) {
    await expectAccepted(`flush ${path}`, await service.post(path, gzipOf(batchOf(`flush ${path}`)), PLAIN))
  }
  // As the browser's own CompressionStream writes it.
  const stream = new Blob([batchOf('native')]).stream().pipeThrough(new CompressionStream('gzip'))
  const native = new Uint8Array(await new Response(stream).arrayBuffer())
  await expectAccepted('native', await service.post('/i/v0/e/', native, PLAIN))
  await expectAccepted('beacon', await service.post('/i/v0/e/?beacon=1', gzipOf(batchOf('beacon')), PLAIN))
})

// API: | gzip-js | `POST /e/?ip=1&_=<ms>&ver=1.150.0&compression=gzip-js` (…; `&beacon=1` from sendBeacon), `Content-Type:
// text/plain`, gzip bytes of a JSON ARRAY |
test('reads a gzip array with and without compression=gzip-js', async () => {
  for (const path of ['/e/', '/i/v0/e/']) {
    for (const rest of ['&compression=gzip-js', '&compression=gzip-js&beacon=1', '&compression=gzip', '']) {
      const marker = `gzip-js ${path} ${rest}`
      await expectAccepted(marker, await service.post(`${path}${query(rest)}`, gzipOf(arrayOf(marker)), PLAIN))
    }
  }
  // Early versions sent the bytes as a Latin-1 string.
  const text = Buffer.from(gzipOf(arrayOf('latin-1'))).toString('latin1')
  await expectAccepted('latin-1', await service.post(`/e/${query('&compression=gzip-js')}`, text, PLAIN))
})

// API: | base64 | `POST /e/?compression=base64...`, `application/x-www-form-urlencoded`, body `data=<urlencoded base64(JSON)>` |
test('reads a form with base64', async () => {
  const data = (marker: string) => `data=${encodeURIComponent(base64Of(arrayOf(marker)))}`
  for (const rest of ['&compression=base64', '', '&compression=base64&beacon=1']) {
    const marker = `base64 ${rest}`
    await expectAccepted(marker, await service.post(`/e/${query(rest)}`, data(marker), FORM))
  }
  // Not escaped, without padding, and from a beacon typed text/plain.
  const unescapedForm = `data=${base64Of(arrayOf('loose')).replaceAll('=', '')}`
  await expectAccepted('loose', await service.post('/e/?compression=base64', unescapedForm, FORM))
  await expectAccepted('typed plain', await service.post('/e/?compression=base64', data('typed plain'), PLAIN))
  const decided = { token: service.apiKey, distinct_id: 'u', person_properties: {}, $anon_distinct_id: 'a' }
  const response = await service.post(
    `/decide/?v=3&ip=1&_=${Date.now()}`,
    `data=${encodeURIComponent(base64Of(JSON.stringify(decided)))}`,
    FORM,
  )
  expect(response).toMatchObject({ status: 200, body: { featureFlags: {} } })
})

// API: | lz64 form | `POST /e/?ip=1&_=<ms>&v=<ver>`, …, body `data=<urlencoded LZString.compressToBase64(JSON
// {api_key,batch,sent_at})>&compression=lz64` |
test('reads a form with an lz64 batch and a compression field', async () => {
  const packed = (marker: string) => lzString.compressToBase64(batchOf(marker))
  const path = `/e/?ip=1&_=${Date.now()}&v=3.4.2`
  const escaped = `data=${encodeURIComponent(packed('lz64'))}&compression=lz64`
  await expectAccepted('lz64', await service.post(path, escaped, FORM))
  // An unescaped "+" arrives as a space.
  expect(packed('lz64 with plus')).toContain('+')
  await expectAccepted(
    'lz64 with plus',
    await service.post(path, `data=${packed('lz64 with plus')}&compression=lz64`, FORM),
  )
  const spaced = `compression=lz64&data=${encodeURIComponent(packed('lz64 with spaces').replaceAll('+', ' '))}`
  await expectAccepted('lz64 with spaces', await service.post(path, spaced, FORM))
  await expectAccepted(
    'lz64 typed',
    await service.post(path, escapedOf(packed('lz64 typed')), {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    }),
  )
  // The same form, sent by a package.
  const marker = 'posthog-node 4, form'
  const client = new PostHog4(service.apiKey, { host: service.url, captureMode: 'form' })
  client.capture({ distinctId: marker, event: 'sent', properties: { text: TEXT } })
  await client.shutdown()
  await expectStored(marker, 1)
})

const escapedOf = (packed: string) => `data=${encodeURIComponent(packed)}&compression=lz64`

// API: | lz64 posthog-js | `/e/?compression=lz64`, `data=<lz64>` |
test('reads an lz64 array, with compression=lz64 in the query', async () => {
  const data = (marker: string) => `data=${encodeURIComponent(lzString.compressToBase64(arrayOf(marker)))}`
  await expectAccepted('lz64 array', await service.post(`/e/${query('&compression=lz64')}`, data('lz64 array'), FORM))
  await expectAccepted('lz64 in capitals', await service.post('/e/?compression=LZ64', data('lz64 in capitals'), FORM))
  const bare = lzString.compressToBase64(arrayOf('lz64, no form'))
  await expectAccepted('lz64, no form', await service.post('/e/?compression=lz64', bare, PLAIN))
})

// API: | Content-Encoding gzip | `POST /batch/`, `application/json` + `Content-Encoding: gzip` |
test('reads a batch with Content-Encoding: gzip', async () => {
  for (const encoding of ['gzip', 'GZIP', 'x-gzip']) {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding }
    const marker = `encoded ${encoding}`
    await expectAccepted(marker, await service.post('/batch/', nodeGzip(batchOf(marker)), headers))
  }
  // Sent by packages, with and without compression.
  for (const disableCompression of [false, true]) {
    const marker = `posthog-node 5, ${disableCompression ? 'plain' : 'compressed'}`
    const client = new PostHog5(service.apiKey, { host: service.url, disableCompression })
    for (let times = 0; times < 2; times++) {
      client.capture({ distinctId: marker, event: 'sent', properties: { text: TEXT } })
    }
    await client.shutdown()
    await expectStored(marker, 2)
  }
})

test('reads requests of posthog-js 1.150, by fetch and by beacon', async () => {
  const sent: Promise<JsonResponse>[] = []
  const urls: string[] = []
  const beacon = async (url: string, body: Blob): Promise<JsonResponse> => {
    urls.push(url)
    const path = url.slice(service.url.length)
    return service.post(path, new Uint8Array(await body.arrayBuffer()), { 'content-type': body.type })
  }
  const request = await loadPosthogJsRequest((url, body) => sent.push(beacon(url, body)))
  for (const compression of ['gzip-js', 'base64', undefined] as const) {
    const options = { url: `${service.url}/e/?ip=1`, method: 'POST', ...(compression && { compression }) } as const
    const marker = `posthog-js 1.150, ${compression}`
    const data = [eventOf(marker), eventOf(marker)]
    const response = await new Promise((callback) => request({ ...options, data, transport: 'fetch', callback }))
    expect(response).toMatchObject({ statusCode: 200, json: { status: 1 } })
    request({ ...options, data, transport: 'sendBeacon' })
    await expectAccepted(marker, await sent.at(-1)!, 4)
  }
  expect(urls[0]).toMatch(/\/e\/\?ip=1&_=\d+&ver=1\.150\.0&compression=gzip-js&beacon=1$/)
})

// API: "looks at the first bytes: `1f 8b 08` => gzip regardless of headers/params; otherwise UTF-8 JSON"
test('recognises gzip by its first bytes, whatever headers and parameters say', async () => {
  const misleading = ['', '?compression=base64', '?compression=lz64', '?compression=none', '?compression=gzip-js']
  const types = [PLAIN, JSON_TYPE, FORM, { 'content-type': 'application/octet-stream' }, { 'content-type': 'nonsense' }]
  for (const [index, headers] of types.entries()) {
    for (const rest of misleading) {
      const markers = [`gzip ${index} ${rest}`, `json ${index} ${rest}`] as const
      const packed = await service.post(`/e/${rest}`, gzipOf(arrayOf(markers[0])), headers)
      const plain = await service.post(`/e/${rest}`, arrayOf(markers[1]), headers)
      expect([markers[0], packed.status, plain.status]).toEqual([markers[0], 200, 200])
    }
  }
  const count =
    "select count(*), count(distinct distinct_id) from events where distinct_id like 'gzip %' or distinct_id like 'json %'"
  const forms = 2 * types.length * misleading.length
  expect(await service.queryStored(count)).toEqual([[2 * forms, forms]])
})

// API: "Compression is taken from query `compression`, form field `compression`, or header `content-encoding`."
test('reads the compression from the query, a form field or Content-Encoding', async () => {
  const packed = (marker: string) => lzString.compressToBase64(arrayOf(marker))
  const data = (marker: string) => `data=${encodeURIComponent(packed(marker))}`
  await expectAccepted('by query', await service.post('/e/?compression=lz64', data('by query'), FORM))
  await expectAccepted('by field', await service.post('/e/', `${data('by field')}&compression=lz64`, FORM))
  const header = { ...FORM, 'content-encoding': 'lz64' }
  await expectAccepted('by header', await service.post('/e/', data('by header'), header))
  const gzipJs = { ...PLAIN, 'content-encoding': 'gzip-js' }
  await expectAccepted('gzip-js by header', await service.post('/e/', gzipOf(arrayOf('gzip-js by header')), gzipJs))
})

// API: "AFTER either it tries base64_decode (strips a `data=` prefix, url-unquotes, pads), then JSON"
test('reads base64 inside gzip or lz64, and gzip inside base64', async () => {
  const quoted = (marker: string) => `data=${encodeURIComponent(base64Of(arrayOf(marker)))}`
  const inGzip = await service.post('/e/?compression=gzip-js', gzipOf(quoted('base64 in gzip')), PLAIN)
  await expectAccepted('base64 in gzip', inGzip)
  const inLz64 = `data=${encodeURIComponent(lzString.compressToBase64(quoted('base64 in lz64')))}&compression=lz64`
  await expectAccepted('base64 in lz64', await service.post('/e/', inLz64, FORM))
  const gzipInForm = `data=${encodeURIComponent(Buffer.from(gzipOf(arrayOf('gzip in base64'))).toString('base64'))}`
  await expectAccepted('gzip in base64', await service.post('/e/', `${gzipInForm}&compression=gzip-js`, FORM))
  const bare = encodeURIComponent(base64Of(arrayOf('quoted, no form')))
  await expectAccepted('quoted, no form', await service.post('/e/?compression=base64', bare, PLAIN))
})

// API: "In form bodies `data=`"
test('reads plain JSON in a form field, and JSON wrongly typed as a form', async () => {
  await expectAccepted(
    'form of JSON',
    await service.post('/e/', `data=${encodeURIComponent(arrayOf('form of JSON'))}`, FORM),
  )
  await expectAccepted('claimed form', await service.post('/e/', arrayOf('claimed form'), FORM))
  const missing = await service.post('/e/', 'compression=lz64', FORM)
  expect([missing.status, missing.body.code]).toEqual([400, 'missing_data'])
})

// API: "`_`=ms sent_at"
test('corrects a wrong sender clock by the query parameter `_`', async () => {
  const hour = 3_600_000
  const postWithQuery = (query: string, body: object) =>
    service.post(`/e/${query}`, { api_key: service.apiKey, ...body })
  const now = Date.now()
  const slow = new Date(now - hour - 5000).toISOString()
  const event = (distinct_id: string) => ({ event: 'timed', distinct_id, timestamp: slow })
  await postWithQuery(`?_=${now - hour}`, event('slow clock'))
  await postWithQuery(`?_=${now}`, event('right clock'))
  // `sent_at` in the body wins over the query.
  await postWithQuery(`?_=${now - hour}`, { batch: [event('body')], sent_at: new Date(now).toISOString() })
  await postWithQuery('?_=nonsense', event('nonsense'))
  await postWithQuery(`?_=${now}`, { event: 'timed', distinct_id: 'offset', offset: 5000 })
  const rows = await service.queryStored("select distinct_id, timestamp from events where event = 'timed'")
  const minutesAgo = new Map(rows.map(([id, time]) => [id, Math.round((now - Date.parse(String(time))) / 60_000)]))
  expect(Object.fromEntries(minutesAgo)).toEqual({
    'slow clock': 0,
    'right clock': 60,
    body: 60,
    nonsense: 60,
    offset: 0,
  })
})

test('reads every form of a large body, which a worker thread decodes', async () => {
  const filler = 'x'.repeat(1000)
  const large = (marker: string) =>
    JSON.stringify({
      api_key: service.apiKey,
      batch: Array.from({ length: 400 }, () => {
        const event = eventOf(marker)
        return { ...event, properties: { ...event.properties, filler } }
      }),
    })
  const lz64 = (text: string) => lzString.compressToBase64(text)
  const forms: [string, (text: string) => string | Uint8Array<ArrayBuffer>, Record<string, string>][] = [
    ['', (text) => text, JSON_TYPE],
    ['', gzipOf, PLAIN],
    ['?compression=gzip-js', (text) => Buffer.from(gzipOf(text)).toString('latin1'), PLAIN],
    ['?compression=base64', (text) => `data=${encodeURIComponent(base64Of(text))}`, FORM],
    [
      '?compression=gzip-js',
      (text) => `data=${encodeURIComponent(Buffer.from(gzipOf(text)).toString('base64'))}`,
      FORM,
    ],
    ['', (text) => `data=${lz64(text)}&compression=lz64`, FORM],
    ['?compression=lz64', lz64, PLAIN],
  ]
  for (const [index, [query, pack, headers]] of forms.entries()) {
    const marker = `large ${index}`
    await expectAccepted(marker, await service.post(`/e/${query}`, pack(large(marker)), headers), 400)
  }
})
