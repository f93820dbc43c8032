import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import lzString from 'lz-string'
import { expect, onTestFinished, test } from 'vitest'
import { builtScript } from '../../../src/service/built-script.ts'
import { createBodyReader } from '../../../src/service/ingest/body-reader.ts'
import { bodyText } from '../../../src/service/ingest/body.ts'
import { inspect } from '../../../src/service/ingest/inspect.ts'
import { MAX_BODY_BYTES } from '../../../src/wire/limits.ts'
import { tempFolder } from '../support/temp-folder.ts'

const openReader = () => {
  const reader = createBodyReader(builtScript('body-thread'))
  onTestFinished(() => reader.close())
  return reader
}

const event = (index: number) => ({
  event: `event ${index}`,
  distinct_id: 'größe €',
  properties: { text: `${index}`.repeat(50) },
})
const batchOf = (count: number, more: object = {}) =>
  JSON.stringify({ api_key: 'k', batch: Array.from({ length: count }, (_, index) => event(index)), ...more })

const FORMS = {
  plain: (text: string) => ({ body: Buffer.from(text), form: {} }),
  gzip: (text: string) => ({ body: gzipSync(text), form: {} }),
  lz64: (text: string) => ({
    body: Buffer.from(`data=${encodeURIComponent(lzString.compressToBase64(text))}&compression=lz64`),
    form: { type: 'form' as const },
  }),
}

test.each(Object.entries(FORMS))('finds the same in small and large bodies, %s', async (_, write) => {
  const reader = openReader()
  for (const count of [1, 100, 5000]) {
    const text = batchOf(count)
    const { body, form } = write(text)
    const sent = Buffer.from(body)
    const read = await reader.inspect(body, form, MAX_BODY_BYTES, 'a')
    expect(read.inspection).toEqual({
      apiKey: 'k',
      isSingle: false,
      isHistorical: false,
      events: count,
      isStorable: true,
      dropped: null,
      failure: null,
    })
    expect(read.body.length).toBeLessThanOrEqual(sent.length)
    expect(bodyText(read.body, form, MAX_BODY_BYTES)).toBe(text)
    expect(await reader.text(Buffer.from(sent), form, MAX_BODY_BYTES, 'a')).toBe(text)
  }
  expect(reader.waiting()).toBe(0)
})

test('goes on in the event loop while a large body is read', async () => {
  const reader = openReader()
  const { body, form } = FORMS.lz64(batchOf(20_000))
  let turns = 0
  const ticker = setInterval(() => turns++, 1)
  await reader.inspect(body, form, MAX_BODY_BYTES, 'a')
  clearInterval(ticker)
  expect(turns).toBeGreaterThan(10)
})

test('reads many large bodies one after the other, each answered with its own', async () => {
  const reader = openReader()
  const counts = [3000, 4000, 5000, 6000]
  const reads = counts.map((count) => reader.inspect(Buffer.from(batchOf(count)), {}, MAX_BODY_BYTES, 'a'))
  expect((await Promise.all(reads)).map(({ inspection }) => inspection.events)).toEqual(counts)
})

test('refuses in the thread as it does outside', async () => {
  const reader = openReader()
  const refused = (status: number, code: string) => ({ status, body: { code } })
  const read = (body: Uint8Array, form = {}) => reader.inspect(body, form, MAX_BODY_BYTES, 'a')
  await expect(read(gzipSync(Buffer.alloc(5 * MAX_BODY_BYTES)))).rejects.toMatchObject(refused(413, 'body_too_large'))
  await expect(read(Buffer.alloc(MAX_BODY_BYTES))).rejects.toMatchObject(refused(413, 'body_too_large'))
  await expect(read(Buffer.from(batchOf(5000).slice(0, -1)))).rejects.toMatchObject(refused(400, 'invalid_json'))
  await expect(read(Buffer.alloc(300_000, 0xff))).rejects.toMatchObject(refused(400, 'invalid_utf8'))
  const bomb = Buffer.from(`[${'{},'.repeat(6_900_000)}{}]`)
  await expect(read(bomb)).rejects.toMatchObject(refused(413, 'too_many_values'))
  await expect(read(Buffer.from(`[${batchOf(3000)},{"api_key":"a"},{"api_key":"b"}]`))).rejects.toMatchObject(
    refused(400, 'several_api_keys'),
  )
})

test('reads within a small limit, too', async () => {
  const reader = openReader()
  const body = gzipSync(batchOf(50))
  expect((await reader.inspect(body, {}, 100_000, 'a')).inspection.events).toBe(50)
  await expect(reader.inspect(gzipSync(Buffer.alloc(200_000)), {}, 100_000, 'a')).rejects.toMatchObject({ status: 413 })
  await expect(reader.inspect(randomBytes(100_000), {}, 100_000, 'a')).rejects.toMatchObject({ status: 413 })
})

test('names the place of an event without a time in a large import', () => {
  const batch = Array.from({ length: 5000 }, (_, index) => ({ ...event(index), timestamp: '2024-01-01' }))
  const text = JSON.stringify({ api_key: 'k', historical_migration: true, batch: [...batch, event(5000)] })
  const { failure, isHistorical } = inspect(Buffer.from(text), {}, MAX_BODY_BYTES)
  expect(isHistorical).toBe(true)
  expect(failure?.body).toMatchObject({ code: 'invalid_timestamp', attr: 'batch[5000].timestamp' })
})

test('refuses what waits when it is closed', async () => {
  const reader = createBodyReader(builtScript('body-thread'))
  const reads = [1, 2].map(() => reader.inspect(Buffer.from(batchOf(5000)), {}, MAX_BODY_BYTES, 'a'))
  const ends = Promise.allSettled(reads)
  await reader.close()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

const large = (events: number) => Buffer.from(batchOf(events))

test('reads the body of one sender between those of another, however many these are', async () => {
  const reader = openReader()
  const order: string[] = []
  const read = async (sender: string) => {
    await reader.inspect(large(3000), {}, MAX_BODY_BYTES, sender)
    order.push(sender)
  }
  await Promise.all(['a', 'a', 'a', 'a', 'a', 'b'].map(read))
  expect(order.indexOf('b')).toBe(2)
})

test('refuses with 503 what has waited too long, and goes on', async () => {
  const reader = createBodyReader(builtScript('body-thread'), 20)
  onTestFinished(() => reader.close())
  const body = large(20_000)
  const reads = Array.from({ length: 20 }, () => reader.inspect(Buffer.from(body), {}, MAX_BODY_BYTES, 'a'))
  const ends = await Promise.allSettled(reads)
  expect(ends[0]!.status).toBe('fulfilled')
  expect(ends.at(-1)).toMatchObject({
    status: 'rejected',
    reason: { status: 503, retryAfterSeconds: 1, body: { code: 'busy' } },
  })
  expect(reader.waiting()).toBe(0)
  expect((await reader.inspect(large(3000), {}, MAX_BODY_BYTES, 'a')).inspection.events).toBe(3000)
})

test('refuses with 503 what finds no thread, and reads when there is one again', async () => {
  const script = join(tempFolder(), 'body-thread.js')
  const reader = createBodyReader(script)
  onTestFinished(() => reader.close())
  const read = () => reader.inspect(large(3000), {}, MAX_BODY_BYTES, 'a')
  await expect(read()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 })
  expect(reader.waiting()).toBe(0)
  writeFileSync(script, `import ${JSON.stringify(builtScript('body-thread'))}`)
  expect((await read()).inspection.events).toBe(3000)
})

test('refuses megabytes of blanks in a few bytes at once', () => {
  const bomb = gzipSync(Buffer.alloc(MAX_BODY_BYTES - 1, ' '))
  expect(() => inspect(bomb, {}, MAX_BODY_BYTES)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'empty_body' }) }),
  )
})
