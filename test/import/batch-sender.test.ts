import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions, ImportProgress } from '../../src/import/import-options.ts'
import type { BatchRequest } from '../../src/wire/event.ts'

// Bodies of several megabytes are slow to compress on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Formats the row of event `e<name>` as a line of NDJSON. */
const line = (name: number | string, otherFields: object = {}): string =>
  `${JSON.stringify({ event: `e${name}`, distinct_id: 'u', timestamp: '2024-01-31T09:00:00Z', ...otherFields })}\n`

const toChunks = async function* (...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const content of lines) yield Buffer.from(content)
}

const eventNames = (batch: BatchRequest): string[] => batch.batch.map(({ event }) => event)

/** Imports lines into a fake service that responds as `respond` says. Returns the requests and the names of the acknowledged events. */
const importInto = async (
  lines: readonly string[],
  respond: (batch: BatchRequest, requestIndex: number) => Response | 'connection_lost' | 'timeout',
  options: Partial<ImportOptions> = {},
) => {
  const requests: BatchRequest[] = []
  const storedNames: string[] = []
  const headers: Record<string, string>[] = []
  const summary = await importHistory({
    source: toChunks(...lines),
    key: 'wm_key',
    host: 'http://127.0.0.1:1/path/',
    rejects: join(folder, 'rejects'),
    fetch: async (url, init) => {
      expect(url).toBe('http://127.0.0.1:1/path/batch/')
      headers.push(init?.headers as Record<string, string>)
      const batch: BatchRequest = JSON.parse(gunzipSync(init?.body as Uint8Array).toString())
      const response = respond(batch, requests.push(batch) - 1)
      if (response === 'connection_lost')
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
      if (response === 'timeout') throw new DOMException('The operation was aborted due to timeout', 'TimeoutError')
      if (response.ok) storedNames.push(...eventNames(batch))
      return response
    },
    ...options,
  })
  const rejects =
    summary.rejected === 0
      ? []
      : readFileSync(join(folder, 'rejects'), 'utf8')
          .trim()
          .split('\n')
          .map((json) => JSON.parse(json))
  return { summary, requests, storedNames, headers, rejects }
}

const accept = (): Response => Response.json({ status: 1 })
const refuse = (status: number, attr: string | null = null, headers = {}): Response =>
  Response.json({ type: 'validation_error', code: 'some_code', detail: 'It is wrong.', attr }, { status, headers })

test('sends batches with the API key, as gzip, marked as historical', async () => {
  const { requests, headers, summary } = await importInto([line(1), line(2)], accept)
  expect(requests).toEqual([expect.objectContaining({ api_key: 'wm_key', historical_migration: true })])
  expect(headers[0]).toMatchObject({ 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' })
  expect(summary).toMatchObject({ sent: 2, rejected: 0, batches: 1, isComplete: true, isResumed: false })
})

test('sends events in order, at most 5,000 and 4 MB of JSON per batch', async () => {
  const lines = Array.from({ length: 12_001 }, (_, index) => line(index))
  const { storedNames, requests } = await importInto([lines.join('')], accept)
  expect(storedNames).toEqual(lines.map((_, index) => `e${index}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([5000, 5000, 2001])
  const largeLines = Array.from({ length: 10 }, (_, index) =>
    line(index, { properties: { text: 'x'.repeat(1_000_000) } }),
  )
  const sizes = (await importInto(largeLines, accept)).requests.map(({ batch }) => batch.length)
  expect(sizes).toEqual([5, 5])
})

test('halves a batch that is too large, and keeps later batches at that size', async () => {
  const lines = Array.from({ length: 8 }, (_, index) => line(index))
  const { storedNames, requests } = await importInto(lines, ({ batch }) => (batch.length > 3 ? refuse(413) : accept()))
  expect(storedNames).toEqual(lines.map((_, index) => `e${index}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([8, 4, 2, 2, 4, 2, 2])
})

test('halves a batch that times out, and keeps later batches at that size', async () => {
  const lines = Array.from({ length: 8 }, (_, index) => line(index, { properties: { text: 'x'.repeat(100_000) } }))
  const waits: ImportProgress['wait'][] = []
  const { storedNames, requests } = await importInto(lines, ({ batch }) => (batch.length > 4 ? 'timeout' : accept()), {
    onProgress: ({ wait }) => wait && waits.push(wait),
  })
  expect(storedNames).toEqual(lines.map((_, index) => `e${index}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([8, 4, 4])
  expect(waits.map((wait) => wait?.because)).toEqual(['no response in 60 s'])
})

test('sends a small batch again after a timeout, without splitting it', async () => {
  const responses = ['timeout', 'timeout', 'timeout', accept()] as const
  const { storedNames, requests } = await importInto([line(1), line(2)], (_, index) => responses[index]!)
  expect(storedNames).toEqual(['e1', 'e2'])
  expect(requests.map(({ batch }) => batch.length)).toEqual([2, 2, 2, 2])
})

test('rejects a single event that is too large', async () => {
  const respond = ({ batch }: BatchRequest) => (batch.some(({ event }) => event === 'e1') ? refuse(413) : accept())
  const { storedNames, rejects } = await importInto([line(0), line(1), line(2)], respond)
  expect(storedNames).toEqual(['e0', 'e2'])
  expect(rejects).toMatchObject([{ line: 2, reason: 'too_large', row: { event: 'e1' } }])
})

test('rejects the event that a 400 response names, and sends all others in order', async () => {
  const respond = ({ batch }: BatchRequest) => {
    const badIndex = batch.findIndex(({ event }) => event === 'e2' || event === 'e5')
    return badIndex < 0 ? accept() : refuse(400, `batch[${badIndex}].timestamp`)
  }
  const lines = Array.from({ length: 8 }, (_, index) => line(index))
  const { storedNames, rejects, summary } = await importInto(lines, respond)
  expect(storedNames).toEqual(['e0', 'e1', 'e3', 'e4', 'e6', 'e7'])
  expect(rejects).toMatchObject([
    { line: 3, reason: 'rejected_by_service', detail: 'It is wrong.', row: { event: 'e2' } },
    { line: 6, reason: 'rejected_by_service' },
  ])
  expect(summary).toMatchObject({ sent: 6, rejected: 2, rejectedBy: { rejected_by_service: 2 } })
})

test('finds an event that a 400 response does not name by halving the batch', async () => {
  const respond = ({ batch }: BatchRequest) => (batch.some(({ event }) => event === 'e6') ? refuse(400) : accept())
  const lines = Array.from({ length: 9 }, (_, index) => line(index))
  const { storedNames, rejects } = await importInto(lines, respond)
  expect(storedNames).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e7', 'e8'])
  expect(rejects).toMatchObject([{ line: 7, reason: 'rejected_by_service' }])
})

test.each([
  ['no event', null, 60],
  ['the first event', 'batch[0].timestamp', 20],
])('fails early if every response is a 400 that names %s', async (_, attr, maxRequests) => {
  let requests = 0
  const lines = Array.from({ length: 5000 }, (_each, index) => line(index))
  const run = importInto(lines, () => (requests++, refuse(400, attr)))
  await expect(run).rejects.toMatchObject({ code: 'events_refused', message: expect.stringContaining('It is wrong.') })
  expect(requests).toBeLessThanOrEqual(maxRequests)
})

test('continues after 29 refusals if an event was accepted or the details differ', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => line(index))
  const splitToSingleEvent = ({ batch }: BatchRequest) => (batch.length > 1 ? refuse(413) : batch[0]!)
  const importWithAcceptedEvent = await importInto(lines, (batch) => {
    const event = splitToSingleEvent(batch)
    return event instanceof Response ? event : event.event === 'e0' ? accept() : refuse(400)
  })
  expect(importWithAcceptedEvent.summary).toMatchObject({ sent: 1, rejected: 29 })
  rmSync(join(folder, 'rejects'))
  const importWithDifferentDetails = await importInto(lines, (batch) => {
    const event = splitToSingleEvent(batch)
    if (event instanceof Response) return event
    return event.event === 'e29' ? accept() : Response.json({ detail: `No ${event.event}.` }, { status: 400 })
  })
  expect(importWithDifferentDetails.summary).toMatchObject({ sent: 1, rejected: 29 })
})

test.each([
  ['events_refused', () => refuse(400)],
  ['key_refused', () => refuse(401)],
  ['not_the_service', () => new Response('<html>', { status: 404 })],
  ['not_the_service', () => new Response('<html>Welcome</html>')],
  ['not_the_service', () => Response.json({ hello: 'I am another API' })],
  ['not_the_service', () => new Response('')],
  ['quota_limited', () => Response.json({ status: 1, quota_limited: ['events'] })],
  ['unreachable', () => 'connection_lost' as const],
])('fails with %s and rejects no rows', async (code, respond) => {
  await expect(importInto([line(1), line(2)], respond)).rejects.toMatchObject({ name: 'ImportError', code })
  expect(() => readFileSync(join(folder, 'rejects'))).toThrow('ENOENT')
})

test('retries after a 429 response and a lost connection, and reports each wait', async () => {
  const responses = [refuse(429, null, { 'retry-after': '1' }), 'connection_lost', accept()] as const
  const waits: ImportProgress['wait'][] = []
  const { storedNames } = await importInto([line(1)], (_, index) => responses[index]!, {
    onProgress: ({ wait }) => waits.push(wait),
  })
  expect(storedNames).toEqual(['e1'])
  expect(waits.map((wait) => wait?.because)).toEqual(['429', 'ECONNREFUSED', undefined])
  expect(waits[0]!.afterMs).toBeGreaterThanOrEqual(1000)
})

test('sends the same body again, so that it is stored once', async () => {
  const { requests } = await importInto([line(1), line(2)], (_, index) => (index === 0 ? refuse(503) : accept()))
  expect(requests[1]).toEqual(requests[0])
})

test('fails after maxRetries retries in a row', async () => {
  let requests = 0
  const run = importInto([line(1)], () => (requests++, refuse(503)), { maxRetries: 1 })
  await expect(run).rejects.toMatchObject({ code: 'gave_up' })
  expect(requests).toBe(2)
})

test('an abort ends the wait for the service; unsent events are not counted', async () => {
  const abort = new AbortController()
  const { summary } = await importInto([line(1)], () => refuse(503, null, { 'retry-after': '1000' }), {
    signal: abort.signal,
    onProgress: () => abort.abort(),
  })
  expect(summary).toMatchObject({ sent: 0, isComplete: false })
})

test('an abort ends the wait for a stream that delivers nothing', async () => {
  const abort = new AbortController()
  const endlessSource = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(Array.from({ length: 5001 }, (_, index) => line(index)).join(''))
    await new Promise(() => undefined)
  }
  const { summary } = await importInto([], accept, {
    source: endlessSource(),
    signal: abort.signal,
    onProgress: () => setImmediate(() => abort.abort()),
  })
  expect(summary).toMatchObject({ sent: 5000, isComplete: false })
})

test.each([
  [{ key: ' ' }, 'The project API key is missing.'],
  [{ host: 'analytics.example.com' }, '"analytics.example.com" is not the URL'],
  [{ host: 'ftp://example.com' }, 'is not the URL'],
])('rejects the option %j before it reads the source', async (options, problem) => {
  await expect(importInto([line(1)], accept, options)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(problem),
  })
})

test.each([
  ['[{"event":"e"}]', 'is a JSON array'],
  ['PK\x03\x04', 'zip archive'],
  ['{"event"\0:1}', 'not UTF-8 text'],
  ['{a}\n{b}\n', 'None of the first 2 lines is a JSON object'],
  ['a,b\n1,2\n', 'no column "event"'],
])('rejects the input %j: %s', async (content, problem) => {
  await expect(importInto([content], accept)).rejects.toMatchObject({
    code: 'wrong_format',
    message: expect.stringContaining(problem),
  })
})
