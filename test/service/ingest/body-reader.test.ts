import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import lzString from 'lz-string'
import { expect, onTestFinished, test } from 'vitest'
import { findBuiltScript } from '../../../src/service/find-built-script.ts'
import { createBodyReader } from '../../../src/service/ingest/body-reader.ts'
import { decodeBody } from '../../../src/service/ingest/decode-body.ts'
import { inspectBody } from '../../../src/service/ingest/inspect-body.ts'
import { MAX_BODY_BYTES } from '../../../src/wire/limits.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const openReader = () => {
  // Bodies may wait for long, because a busy machine is slow.
  const reader = createBodyReader(findBuiltScript('body-thread'), 60_000)
  onTestFinished(() => reader.close())
  return reader
}

const event = (index: number) => ({
  event: `event ${index}`,
  distinct_id: 'größe €',
  properties: { text: `${index}`.repeat(50) },
})
const batchOf = (count: number, extraFields: object = {}) =>
  JSON.stringify({ api_key: 'k', batch: Array.from({ length: count }, (_, index) => event(index)), ...extraFields })

const ENCODERS = {
  plain: (json: string) => ({ body: Buffer.from(json), format: {} }),
  gzip: (json: string) => ({ body: gzipSync(json), format: {} }),
  lz64: (json: string) => ({
    body: Buffer.from(`data=${encodeURIComponent(lzString.compressToBase64(json))}&compression=lz64`),
    format: { type: 'form' as const },
  }),
}

test.each(Object.entries(ENCODERS))('inspects small and large bodies with the same result (%s)', async (_, encode) => {
  const reader = openReader()
  for (const count of [1, 100, 5000]) {
    const json = batchOf(count)
    const { body, format } = encode(json)
    const sent = Buffer.from(body)
    const result = await reader.inspect(body, format, MAX_BODY_BYTES, 'a')
    expect(result.inspection).toEqual({
      apiKey: 'k',
      isSingle: false,
      isHistorical: false,
      eventCount: count,
      isStorable: true,
      losses: null,
      failure: null,
    })
    expect(result.body.length).toBeLessThanOrEqual(sent.length)
    expect(decodeBody(result.body, format, MAX_BODY_BYTES)).toBe(json)
    expect(await reader.readString(Buffer.from(sent), format, MAX_BODY_BYTES, 'a')).toBe(json)
  }
  expect(reader.pendingCount()).toBe(0)
})

test('does not block the event loop while it reads a large body', async () => {
  const reader = openReader()
  const { body, format } = ENCODERS.lz64(batchOf(20_000))
  let turns = 0
  const ticker = setInterval(() => turns++, 1)
  await reader.inspect(body, format, MAX_BODY_BYTES, 'a')
  clearInterval(ticker)
  expect(turns).toBeGreaterThan(10)
})

test('returns the right result for each of several concurrent large bodies', async () => {
  const reader = openReader()
  const counts = [3000, 4000, 5000, 6000]
  const reads = counts.map((count) => reader.inspect(Buffer.from(batchOf(count)), {}, MAX_BODY_BYTES, 'a'))
  expect((await Promise.all(reads)).map(({ inspection }) => inspection.eventCount)).toEqual(counts)
})

test('fails in the thread with the same errors as in the main thread', async () => {
  const reader = openReader()
  const httpError = (status: number, code: string) => ({ status, body: { code } })
  const read = (body: Uint8Array, format = {}) => reader.inspect(body, format, MAX_BODY_BYTES, 'a')
  await expect(read(gzipSync(Buffer.alloc(5 * MAX_BODY_BYTES)))).rejects.toMatchObject(httpError(413, 'body_too_large'))
  await expect(read(Buffer.alloc(MAX_BODY_BYTES))).rejects.toMatchObject(httpError(413, 'body_too_large'))
  await expect(read(Buffer.from(batchOf(5000).slice(0, -1)))).rejects.toMatchObject(httpError(400, 'invalid_json'))
  await expect(read(Buffer.alloc(300_000, 0xff))).rejects.toMatchObject(httpError(400, 'invalid_utf8'))
  const bomb = Buffer.from(`[${'{},'.repeat(6_900_000)}{}]`)
  await expect(read(bomb)).rejects.toMatchObject(httpError(413, 'too_many_values'))
  await expect(read(Buffer.from(`[${batchOf(3000)},{"api_key":"a"},{"api_key":"b"}]`))).rejects.toMatchObject(
    httpError(400, 'several_api_keys'),
  )
})

test('rejects a small body above a small limit', async () => {
  const reader = openReader()
  const body = gzipSync(batchOf(50))
  expect((await reader.inspect(body, {}, 100_000, 'a')).inspection.eventCount).toBe(50)
  await expect(reader.inspect(gzipSync(Buffer.alloc(200_000)), {}, 100_000, 'a')).rejects.toMatchObject({ status: 413 })
  await expect(reader.inspect(randomBytes(100_000), {}, 100_000, 'a')).rejects.toMatchObject({ status: 413 })
})

test('names the event without a time in a migration of several chunks', () => {
  const batch = Array.from({ length: 5000 }, (_, index) => ({ ...event(index), timestamp: '2024-01-01' }))
  const json = JSON.stringify({ api_key: 'k', historical_migration: true, batch: [...batch, event(5000)] })
  const { failure, isHistorical } = inspectBody(Buffer.from(json), {}, MAX_BODY_BYTES)
  expect(isHistorical).toBe(true)
  expect(failure?.body).toMatchObject({ code: 'invalid_timestamp', attr: 'batch[5000].timestamp' })
})

test('rejects pending bodies when it is closed', async () => {
  const reader = createBodyReader(findBuiltScript('body-thread'))
  const reads = [1, 2].map(() => reader.inspect(Buffer.from(batchOf(5000)), {}, MAX_BODY_BYTES, 'a'))
  const ends = Promise.allSettled(reads)
  await reader.close()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

/** A body that is large enough for the thread. */
const largeBody = (eventCount: number) => Buffer.from(batchOf(eventCount))

test('reads waiting bodies of one sender and another alternately', async () => {
  const reader = openReader()
  const order: string[] = []
  const read = async (sender: string) => {
    await reader.inspect(largeBody(3000), {}, MAX_BODY_BYTES, sender)
    order.push(sender)
  }
  await Promise.all(['a', 'a', 'a', 'a', 'a', 'b'].map(read))
  expect(order.indexOf('b')).toBe(2)
})

test('rejects bodies that waited too long with 503, and reads later bodies', async () => {
  const folder = createTempFolder()
  const script = join(folder, 'body-thread.mjs')
  const go = join(folder, 'go')
  // The thread reads nothing before the test says so: how long the bodies wait then does not depend on the machine.
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs'
    const onTick = () => existsSync(${JSON.stringify(go)}) ? import(${JSON.stringify(findBuiltScript('body-thread'))}) : setTimeout(onTick, 5)
    onTick()`,
  )
  const reader = createBodyReader(script, 20)
  onTestFinished(() => reader.close())
  const read = () => reader.inspect(largeBody(3000), {}, MAX_BODY_BYTES, 'a')
  const first = read()
  const waiting = await Promise.allSettled(Array.from({ length: 20 }, read))
  const tooLate = { status: 'rejected', reason: { status: 503, retryAfterSeconds: 1, body: { code: 'busy' } } }
  expect(waiting).toMatchObject(waiting.map(() => tooLate))
  expect(reader.pendingCount()).toBe(1)
  writeFileSync(go, '')
  expect((await first).inspection.eventCount).toBe(3000)
  expect(reader.pendingCount()).toBe(0)
  expect((await read()).inspection.eventCount).toBe(3000)
})

test('rejects with 503 when the thread cannot start, and recovers', async () => {
  const script = join(createTempFolder(), 'body-thread.js')
  const reader = createBodyReader(script)
  onTestFinished(() => reader.close())
  const read = () => reader.inspect(largeBody(3000), {}, MAX_BODY_BYTES, 'a')
  await expect(read()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 })
  expect(reader.pendingCount()).toBe(0)
  writeFileSync(script, `import ${JSON.stringify(findBuiltScript('body-thread'))}`)
  expect((await read()).inspection.eventCount).toBe(3000)
})

test('quickly rejects gzip that decodes to megabytes of blanks', () => {
  const bomb = gzipSync(Buffer.alloc(MAX_BODY_BYTES - 1, ' '))
  expect(() => inspectBody(bomb, {}, MAX_BODY_BYTES)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'empty_body' }) }),
  )
})
