import { gzipSync } from 'node:zlib'
import lzString from 'lz-string'
import { expect, onTestFinished, test } from 'vitest'
import { waitForIndexer, eventually, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { beginPost, readPeakMiB, post, startProbe } from './senders.ts'
import type { TimedResponse } from './senders.ts'

const MIB = 2 ** 20
const MAX_BODY_BYTES = 4 * MIB

/** A service for a small machine. */
const SMALL_MACHINE_ARGS = [
  '--max-body-bytes',
  String(MAX_BODY_BYTES),
  '--max-buffered-bytes',
  String(16 * MIB),
  '--store-memory-mb',
  '128',
]

/** V8 ends a process that needs a larger heap. */
const SMALL_HEAP_ENV = { NODE_OPTIONS: '--max-old-space-size=96' }

const startSmallService = async () => {
  const service = await startService(createTempFolder(), { args: SMALL_MACHINE_ARGS, env: SMALL_HEAP_ENV })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const countEvents = async (event: string): Promise<number> => {
    await waitForIndexer(service.url)
    return Number(
      (await queryRows(service.url, personalApiKey, `select count(*) from events where event = '${event}'`))[0]?.[0],
    )
  }
  return { ...service, apiKey, countEvents }
}

/** A batch that is as long as possible below `bytes`. */
const batchOf = (apiKey: string, event: string, bytes: number): string => {
  const head = `{"api_key":"${apiKey}","batch":[`
  return `${head}${`${event},`.repeat(Math.floor((bytes - head.length - 2) / (event.length + 1)) - 1)}${event}]}`
}

const EVENT = `{"event":"flood","distinct_id":"u","properties":{"text":"${'some text '.repeat(200)}"}}`

/** Bodies of hostile senders, all below the limit as sent. */
const HOSTILE_BODIES: Readonly<Record<string, (apiKey: string) => Uint8Array | string>> = {
  'millions of objects': (key) => batchOf(key, '{}', MAX_BODY_BYTES),
  'millions of objects in one event': (key) =>
    `{"api_key":"${key}","event":"e","distinct_id":"u","properties":{"list":[${'{},'.repeat(MAX_BODY_BYTES / 3 - 100)}{}]}}`,
  'objects with different keys': (key) =>
    `{"api_key":"${key}","batch":[${Array.from({ length: 350_000 }, (_, index) => `{"${index.toString(36)}":0}`).join()}]}`,
  'endless nesting': () => '['.repeat(MAX_BODY_BYTES - 1),
  'gzip that decompresses to far over the limit': () => gzipSync(Buffer.alloc(500 * MIB)),
  'gzip that decompresses to just under the limit': (key) => gzipSync(batchOf(key, '{}', MAX_BODY_BYTES - 1)),
  'lz64 that decompresses to far over the limit': () =>
    `data=${encodeURIComponent(lzString.compressToBase64(Array.from({ length: 1_500_000 }, (_, index) => index % 977).join()))}&compression=lz64`,
  'invalid lz64': () => `data=${'A'.repeat(MAX_BODY_BYTES - 100)}&compression=lz64`,
  'a form of millions of fields': () => `data=1&${'aa&'.repeat(MAX_BODY_BYTES / 3 - 100)}`,
  'percent signs': () => `data=${'%2b'.repeat(MAX_BODY_BYTES / 3 - 100)}`,
  'invalid base64': () => `${'A'.repeat(MAX_BODY_BYTES - 100)}!`,
  spaces: () => ' '.repeat(MAX_BODY_BYTES - 1),
  'invalid UTF-8': () => Buffer.alloc(MAX_BODY_BYTES - 1, 0xff),
}

test('survives hostile bodies with a 96 MB heap, and still accepts events', async () => {
  const service = await startSmallService()
  const { url, apiKey } = service
  const stopProbe = startProbe(url, apiKey)
  for (const [name, createBody] of Object.entries(HOSTILE_BODIES)) {
    const body = createBody(apiKey)
    const responses = await Promise.all([1, 2, 3].map(() => post(body, { url })))
    // "busy": a body that had to wait too long for the two before it, as on a busy machine.
    const isRefusedOrRead = ({ status, text }: TimedResponse) =>
      (status >= 200 && status < 500) || (status === 503 && JSON.parse(text).code === 'busy')
    expect([name, responses.map(isRefusedOrRead)]).toEqual([name, [true, true, true]])
    expect([name, responses.some(({ status }) => status < 500)]).toEqual([name, true])
  }
  const probes = await stopProbe()
  expect(probes.filter(({ status }) => status !== 200)).toEqual([])
  expect(await service.countEvents('probe')).toBe(probes.length)
  expect(readPeakMiB(service.pid)).toBeLessThan(400)
})

test('rejects bodies that do not fit with 503, and stores the accepted ones', async () => {
  const service = await startSmallService()
  const { url, apiKey } = service
  const body = batchOf(apiKey, EVENT, MAX_BODY_BYTES - 1)
  const eventCount = body.split('"flood"').length - 1
  const stopProbe = startProbe(url, apiKey)
  let acceptedCount = 0
  const rejections: TimedResponse[] = []
  const sendUntilAccepted = async (): Promise<void> => {
    for (;;) {
      const response = await post(body, { url })
      if (response.status === 200) {
        acceptedCount++
        return
      }
      rejections.push(response)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await Promise.all(Array.from({ length: 20 }, sendUntilAccepted))
  expect(rejections.length).toBeGreaterThan(0)
  for (const { status, retryAfter, text } of rejections) {
    expect([status, retryAfter, JSON.parse(text).code]).toEqual([503, '1', 'busy'])
  }
  const probes = await stopProbe()
  expect(probes.filter(({ status }) => status !== 200)).toEqual([])
  expect(acceptedCount).toBe(20)
  expect(await service.countEvents('flood')).toBe(20 * eventCount)
  expect(readPeakMiB(service.pid)).toBeLessThan(400)
})

test('evicts bodies that never end, so that others can be received', async () => {
  const { url, apiKey } = await startSmallService()
  const slowUploads = Array.from({ length: 40 }, (_, index) => {
    const isChunked = index % 2 === 0
    const headers: Record<string, string> = isChunked ? {} : { 'content-length': String(MAX_BODY_BYTES - 1) }
    const { clientRequest, response } = beginPost({ url, headers })
    clientRequest.write(batchOf(apiKey, EVENT, MAX_BODY_BYTES / 2))
    onTestFinished(() => void clientRequest.destroy())
    return { clientRequest, response }
  })
  const firstResponse = Promise.race(slowUploads.map(({ response }) => response))
  const body = batchOf(apiKey, EVENT, MAX_BODY_BYTES - 1)
  await eventually(async () => (await post(body, { url })).status === 200, 20_000)
  expect(await firstResponse).toMatchObject({ status: 503, retryAfter: '1' })
})

test('counts only the length of a body that arrives byte by byte', async () => {
  const service = await startSmallService()
  const peakBefore = readPeakMiB(service.pid)
  const { clientRequest, response } = beginPost({ url: service.url })
  clientRequest.setNoDelay(true)
  const body = batchOf(service.apiKey, EVENT, 400_000)
  for (const character of body) {
    if (!clientRequest.write(character)) await new Promise((resolve) => clientRequest.once('drain', resolve))
  }
  clientRequest.end()
  expect((await response).status).toBe(200)
  expect(readPeakMiB(service.pid) - peakBefore).toBeLessThan(150)
})

test('sends the response while a rejected body still arrives', async () => {
  const { url, apiKey } = await startSmallService()
  const largeBody = Buffer.alloc(MAX_BODY_BYTES + 1000, 0x20)
  const lengths: Record<string, string>[] = [{ 'content-length': String(largeBody.length) }, {}]
  for (const headers of lengths) {
    const { clientRequest, response } = beginPost({ url, headers })
    clientRequest.end(largeBody)
    expect(await response).toMatchObject({ status: 413 })
  }
  expect(await post(EVENT.replace('{', `{"api_key":"${apiKey}",`), { url, path: '/i/v0/e/' })).toMatchObject({
    status: 200,
  })
})

test('rejects too many header bytes, and accepts long URLs', async () => {
  const { url, apiKey } = await startSmallService()
  const manyHeaders = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'x'.repeat(100)]))
  const responses = await Promise.all(Array.from({ length: 50 }, () => post('{}', { url, headers: manyHeaders })))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([431]))
  expect(await post('{}', { url, path: `/i/v0/e/?${'a=b&'.repeat(3000)}` })).toMatchObject({ status: 401 })
  expect(await post(EVENT.replace('{', `{"api_key":"${apiKey}",`), { url, path: '/i/v0/e/' })).toMatchObject({
    status: 200,
  })
})
