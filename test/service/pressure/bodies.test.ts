import { gzipSync } from 'node:zlib'
import lzString from 'lz-string'
import { expect, onTestFinished, test } from 'vitest'
import { caughtUp, eventually, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { beginPost, peakMiB, post, startProbe } from './senders.ts'
import type { Answer } from './senders.ts'

const MIB = 2 ** 20
const LIMIT = 4 * MIB

/** A service for a small machine. */
const SMALL = ['--max-body-bytes', String(LIMIT), '--max-buffered-bytes', String(16 * MIB), '--store-memory-mb', '128']

/** V8 ends a process whose objects need more. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=96' }

const openSmall = async () => {
  const service = await startService(tempFolder(), { args: SMALL, env: SMALL_HEAP })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const countOf = async (event: string): Promise<number> => {
    await caughtUp(service.url)
    return Number(
      (await queryRows(service.url, personalApiKey, `select count(*) from events where event = '${event}'`))[0]?.[0],
    )
  }
  return { ...service, apiKey, countOf }
}

/** A batch of as many bytes as fit below a length. */
const batchOf = (apiKey: string, event: string, bytes: number): string => {
  const head = `{"api_key":"${apiKey}","batch":[`
  return `${head}${`${event},`.repeat(Math.floor((bytes - head.length - 2) / (event.length + 1)) - 1)}${event}]}`
}

const EVENT = `{"event":"flood","distinct_id":"u","properties":{"text":"${'some text '.repeat(200)}"}}`

/** What a hostile sender can put into a body. All of it is below the limit as it is sent. */
const HOSTILE: Readonly<Record<string, (apiKey: string) => Uint8Array | string>> = {
  'millions of objects': (key) => batchOf(key, '{}', LIMIT),
  'millions of objects in one event': (key) =>
    `{"api_key":"${key}","event":"e","distinct_id":"u","properties":{"list":[${'{},'.repeat(LIMIT / 3 - 100)}{}]}}`,
  'objects of which each has another key': (key) =>
    `{"api_key":"${key}","batch":[${Array.from({ length: 350_000 }, (_, index) => `{"${index.toString(36)}":0}`).join()}]}`,
  'levels without an end': () => '['.repeat(LIMIT - 1),
  'gzip that unpacks to far over the limit': () => gzipSync(Buffer.alloc(500 * MIB)),
  'gzip that unpacks to just under the limit': (key) => gzipSync(batchOf(key, '{}', LIMIT - 1)),
  'lz64 that unpacks to far over the limit': () =>
    `data=${encodeURIComponent(lzString.compressToBase64(Array.from({ length: 1_500_000 }, (_, index) => index % 977).join()))}&compression=lz64`,
  'lz64 that is none': () => `data=${'A'.repeat(LIMIT - 100)}&compression=lz64`,
  'a form of millions of fields': () => `data=1&${'aa&'.repeat(LIMIT / 3 - 100)}`,
  'percent signs': () => `data=${'%2b'.repeat(LIMIT / 3 - 100)}`,
  'base64 that is none': () => `${'A'.repeat(LIMIT - 100)}!`,
  spaces: () => ' '.repeat(LIMIT - 1),
  'no text': () => Buffer.alloc(LIMIT - 1, 0xff),
}

test('outlives every body on a heap of 96 MB, and takes single events meanwhile', async () => {
  const service = await openSmall()
  const { url, apiKey } = service
  const stopProbe = startProbe(url, apiKey)
  for (const [name, write] of Object.entries(HOSTILE)) {
    const body = write(apiKey)
    const answers = await Promise.all([1, 2, 3].map(() => post(body, { url })))
    expect([name, answers.map(({ status }) => status >= 200 && status < 500)]).toEqual([name, [true, true, true]])
  }
  const probes = await stopProbe()
  expect(probes.filter(({ status }) => status !== 200)).toEqual([])
  expect(await service.countOf('probe')).toBe(probes.length)
  expect(peakMiB(service.pid)).toBeLessThan(400)
})

test('refuses with 503 and Retry-After what does not fit into memory, and stores each body that it takes', async () => {
  const service = await openSmall()
  const { url, apiKey } = service
  const body = batchOf(apiKey, EVENT, LIMIT - 1)
  const count = body.split('"flood"').length - 1
  const stopProbe = startProbe(url, apiKey)
  let taken = 0
  const refusals: Answer[] = []
  const sendAgain = async (): Promise<void> => {
    for (;;) {
      const answer = await post(body, { url })
      if (answer.status === 200) {
        taken++
        return
      }
      refusals.push(answer)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await Promise.all(Array.from({ length: 20 }, sendAgain))
  expect(refusals.length).toBeGreaterThan(0)
  for (const { status, retryAfter, text } of refusals) {
    expect([status, retryAfter, JSON.parse(text).code]).toEqual([503, '1', 'busy'])
  }
  const probes = await stopProbe()
  expect(probes.filter(({ status }) => status !== 200)).toEqual([])
  expect(taken).toBe(20)
  expect(await service.countOf('flood')).toBe(20 * count)
  expect(peakMiB(service.pid)).toBeLessThan(400)
})

test('lets senders that never end give way to those that do', async () => {
  const { url, apiKey } = await openSmall()
  const slow = Array.from({ length: 40 }, (_, index) => {
    const isChunked = index % 2 === 0
    const headers: Record<string, string> = isChunked ? {} : { 'content-length': String(LIMIT - 1) }
    const { sending, answer } = beginPost({ url, headers })
    sending.write(batchOf(apiKey, EVENT, LIMIT / 2))
    onTestFinished(() => void sending.destroy())
    return { sending, answer }
  })
  const given = Promise.race(slow.map(({ answer }) => answer))
  const body = batchOf(apiKey, EVENT, LIMIT - 1)
  await eventually(async () => (await post(body, { url })).status === 200, 20_000)
  expect(await given).toMatchObject({ status: 503, retryAfter: '1' })
})

test('counts a body that comes a byte at a time as what it is', async () => {
  const service = await openSmall()
  const before = peakMiB(service.pid)
  const { sending, answer } = beginPost({ url: service.url })
  sending.setNoDelay(true)
  const text = batchOf(service.apiKey, EVENT, 400_000)
  for (const character of text) {
    if (!sending.write(character)) await new Promise((resolve) => sending.once('drain', resolve))
  }
  sending.end()
  expect((await answer).status).toBe(200)
  expect(peakMiB(service.pid) - before).toBeLessThan(150)
})

test('answers on a connection that goes on, whether a body was too large or there was no room for it', async () => {
  const { url, apiKey } = await openSmall()
  const large = Buffer.alloc(LIMIT + 1000, 0x20)
  const lengths: Record<string, string>[] = [{ 'content-length': String(large.length) }, {}]
  for (const headers of lengths) {
    const { sending, answer } = beginPost({ url, headers })
    sending.end(large)
    expect(await answer).toMatchObject({ status: 413 })
  }
  expect(await post(EVENT.replace('{', `{"api_key":"${apiKey}",`), { url, path: '/i/v0/e/' })).toMatchObject({
    status: 200,
  })
})

test('answers floods of headers and long addresses, and goes on', async () => {
  const { url, apiKey } = await openSmall()
  const flood = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'x'.repeat(100)]))
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('{}', { url, headers: flood })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([431]))
  expect(await post('{}', { url, path: `/i/v0/e/?${'a=b&'.repeat(3000)}` })).toMatchObject({ status: 401 })
  expect(await post(EVENT.replace('{', `{"api_key":"${apiKey}",`), { url, path: '/i/v0/e/' })).toMatchObject({
    status: 200,
  })
})
