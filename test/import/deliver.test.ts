import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions, ImportProgress } from '../../src/import/import-options.ts'
import type { BatchRequest } from '../../src/wire/event.ts'

// Bodies of megabytes, on a machine that has other things to do.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const line = (name: number | string, more: object = {}): string =>
  `${JSON.stringify({ event: `e${name}`, distinct_id: 'u', timestamp: '2024-01-31T09:00:00Z', ...more })}\n`

const linesOf = async function* (...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of lines) yield Buffer.from(text)
}

const names = (batch: BatchRequest): string[] => batch.batch.map(({ event }) => event)

/** Imports lines into a service that answers as told, and answers what it has acknowledged. */
const importInto = async (
  lines: readonly string[],
  answer: (batch: BatchRequest, request: number) => Response | 'lost' | 'late',
  options: Partial<ImportOptions> = {},
) => {
  const requests: BatchRequest[] = []
  const stored: string[] = []
  const headers: Record<string, string>[] = []
  const run = importHistory({
    source: linesOf(...lines),
    key: 'wm_key',
    host: 'http://127.0.0.1:1/path/',
    rejects: join(folder, 'rejects'),
    fetch: async (url, init) => {
      expect(url).toBe('http://127.0.0.1:1/path/batch/')
      headers.push(init?.headers as Record<string, string>)
      const batch: BatchRequest = JSON.parse(gunzipSync(init?.body as Uint8Array).toString())
      const given = answer(batch, requests.push(batch) - 1)
      if (given === 'lost')
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
      if (given === 'late') throw new DOMException('The operation was aborted due to timeout', 'TimeoutError')
      if (given.ok) stored.push(...names(batch))
      return given
    },
    ...options,
  })
  const summary = await run
  const rejects =
    summary.rejected === 0
      ? []
      : readFileSync(join(folder, 'rejects'), 'utf8')
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text))
  return { summary, requests, stored, headers, rejects }
}

const taken = (): Response => Response.json({ status: 1 })
const refused = (status: number, attr: string | null = null, headers = {}): Response =>
  Response.json({ type: 'validation_error', code: 'some_code', detail: 'It is wrong.', attr }, { status, headers })

test('batches are of one project, gzip, and history', async () => {
  const { requests, headers, summary } = await importInto([line(1), line(2)], taken)
  expect(requests).toEqual([expect.objectContaining({ api_key: 'wm_key', historical_migration: true })])
  expect(headers[0]).toMatchObject({ 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' })
  expect(summary).toMatchObject({ sent: 2, rejected: 0, batches: 1, isComplete: true, isResumed: false })
})

test('events go out in their order, at most 5,000 and 4 MB of JSON at once', async () => {
  const many = Array.from({ length: 12_001 }, (_, at) => line(at))
  const { stored, requests } = await importInto([many.join('')], taken)
  expect(stored).toEqual(many.map((_, at) => `e${at}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([5000, 5000, 2001])
  const large = Array.from({ length: 10 }, (_, at) => line(at, { properties: { text: 'x'.repeat(1_000_000) } }))
  const sizes = (await importInto(large, taken)).requests.map(({ batch }) => batch.length)
  expect(sizes).toEqual([5, 5])
})

test('of a batch that is too large the halves are sent, in order, and later batches are as small', async () => {
  const lines = Array.from({ length: 8 }, (_, at) => line(at))
  const { stored, requests } = await importInto(lines, ({ batch }) => (batch.length > 3 ? refused(413) : taken()))
  expect(stored).toEqual(lines.map((_, at) => `e${at}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([8, 4, 2, 2, 4, 2, 2])
})

test('a batch without answer in 60 s is halved, for a slow link, and later batches are as small', async () => {
  const lines = Array.from({ length: 8 }, (_, at) => line(at, { properties: { text: 'x'.repeat(100_000) } }))
  const waits: ImportProgress['wait'][] = []
  const { stored, requests } = await importInto(lines, ({ batch }) => (batch.length > 4 ? 'late' : taken()), {
    onProgress: ({ wait }) => wait && waits.push(wait),
  })
  expect(stored).toEqual(lines.map((_, at) => `e${at}`))
  expect(requests.map(({ batch }) => batch.length)).toEqual([8, 4, 4])
  expect(waits.map((wait) => wait?.because)).toEqual(['no answer in 60 s'])
})

test('a small batch without answer in 60 s is sent again as it was, and its host is not told to be unreachable', async () => {
  const answers = ['late', 'late', 'late', taken()] as const
  const { stored, requests } = await importInto([line(1), line(2)], (_, request) => answers[request]!)
  expect(stored).toEqual(['e1', 'e2'])
  expect(requests.map(({ batch }) => batch.length)).toEqual([2, 2, 2, 2])
})

test('a single event that is too large is rejected', async () => {
  const answer = ({ batch }: BatchRequest) => (batch.some(({ event }) => event === 'e1') ? refused(413) : taken())
  const { stored, rejects } = await importInto([line(0), line(1), line(2)], answer)
  expect(stored).toEqual(['e0', 'e2'])
  expect(rejects).toMatchObject([{ line: 2, reason: 'too_large', row: { event: 'e1' } }])
})

test('an event that a 400 names is rejected with the words of the service, and all others are sent in order', async () => {
  const answer = ({ batch }: BatchRequest) => {
    const bad = batch.findIndex(({ event }) => event === 'e2' || event === 'e5')
    return bad < 0 ? taken() : refused(400, `batch[${bad}].timestamp`)
  }
  const lines = Array.from({ length: 8 }, (_, at) => line(at))
  const { stored, rejects, summary } = await importInto(lines, answer)
  expect(stored).toEqual(['e0', 'e1', 'e3', 'e4', 'e6', 'e7'])
  expect(rejects).toMatchObject([
    { line: 3, reason: 'rejected_by_service', detail: 'It is wrong.', row: { event: 'e2' } },
    { line: 6, reason: 'rejected_by_service' },
  ])
  expect(summary).toMatchObject({ sent: 6, rejected: 2, rejectedBy: { rejected_by_service: 2 } })
})

test('an event that a 400 does not name is found by halving', async () => {
  const answer = ({ batch }: BatchRequest) => (batch.some(({ event }) => event === 'e6') ? refused(400) : taken())
  const lines = Array.from({ length: 9 }, (_, at) => line(at))
  const { stored, rejects } = await importInto(lines, answer)
  expect(stored).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e7', 'e8'])
  expect(rejects).toMatchObject([{ line: 7, reason: 'rejected_by_service' }])
})

test.each([
  ['names none', null, 60],
  ['names the first', 'batch[0].timestamp', 20],
])('a proxy that answers 400 to everything is asked few times: one that %s', async (_, attr, most) => {
  let requests = 0
  const lines = Array.from({ length: 5000 }, (_each, at) => line(at))
  const run = importInto(lines, () => (requests++, refused(400, attr)))
  await expect(run).rejects.toMatchObject({ code: 'events_refused', message: expect.stringContaining('It is wrong.') })
  expect(requests).toBeLessThanOrEqual(most)
})

test('many events refused alike do not end an import into a service that has taken one, nor in other words each', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => line(at))
  const single = ({ batch }: BatchRequest) => (batch.length > 1 ? refused(413) : batch[0]!)
  const taking = await importInto(lines, (batch) => {
    const event = single(batch)
    return event instanceof Response ? event : event.event === 'e0' ? taken() : refused(400)
  })
  expect(taking.summary).toMatchObject({ sent: 1, rejected: 29 })
  rmSync(join(folder, 'rejects'))
  const differing = await importInto(lines, (batch) => {
    const event = single(batch)
    if (event instanceof Response) return event
    return event.event === 'e29' ? taken() : Response.json({ detail: `No ${event.event}.` }, { status: 400 })
  })
  expect(differing.summary).toMatchObject({ sent: 1, rejected: 29 })
})

test.each([
  ['events_refused', () => refused(400)],
  ['key_refused', () => refused(401)],
  ['not_the_service', () => new Response('<html>', { status: 404 })],
  ['not_the_service', () => new Response('<html>Welcome</html>')],
  ['not_the_service', () => Response.json({ hello: 'I am another api' })],
  ['not_the_service', () => new Response('')],
  ['quota_limited', () => Response.json({ status: 1, quota_limited: ['events'] })],
  ['unreachable', () => 'lost' as const],
])('the import ends with %s, and rejects nothing', async (code, answer) => {
  await expect(importInto([line(1), line(2)], answer)).rejects.toMatchObject({ name: 'ImportError', code })
  expect(() => readFileSync(join(folder, 'rejects'))).toThrow('ENOENT')
})

test('what passes is waited out, however often: no answer after the first one, 429 with its time, 500; and told of', async () => {
  const answers = [refused(429, null, { 'retry-after': '1' }), 'lost', taken()] as const
  const waits: ImportProgress['wait'][] = []
  const { stored } = await importInto([line(1)], (_, request) => answers[request]!, {
    onProgress: ({ wait }) => waits.push(wait),
  })
  expect(stored).toEqual(['e1'])
  expect(waits.map((wait) => wait?.because)).toEqual(['429', 'ECONNREFUSED', undefined])
  expect(waits[0]!.afterMs).toBeGreaterThanOrEqual(1000)
})

test('a body that was sent again is the same, so that it is stored once', async () => {
  const { requests } = await importInto([line(1), line(2)], (_, request) => (request === 0 ? refused(503) : taken()))
  expect(requests[1]).toEqual(requests[0])
})

test('maxRetries bounds the tries in a row', async () => {
  let requests = 0
  const run = importInto([line(1)], () => (requests++, refused(503)), { maxRetries: 1 })
  await expect(run).rejects.toMatchObject({ code: 'gave_up' })
  expect(requests).toBe(2)
})

test('an abort ends the wait for the service, and what is not sent is not done', async () => {
  const abort = new AbortController()
  const { summary } = await importInto([line(1)], () => refused(503, null, { 'retry-after': '1000' }), {
    signal: abort.signal,
    onProgress: () => abort.abort(),
  })
  expect(summary).toMatchObject({ sent: 0, isComplete: false })
})

test('an abort ends the wait for a stream that brings nothing', async () => {
  const abort = new AbortController()
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(Array.from({ length: 5001 }, (_, at) => line(at)).join(''))
    await new Promise(() => undefined)
  }
  const { summary } = await importInto([], taken, {
    source: endless(),
    signal: abort.signal,
    onProgress: () => setImmediate(() => abort.abort()),
  })
  expect(summary).toMatchObject({ sent: 5000, isComplete: false })
})

test.each([
  [{ key: ' ' }, 'The project API key is missing.'],
  [{ host: 'analytics.example.com' }, '"analytics.example.com" is no address'],
  [{ host: 'ftp://example.com' }, 'is no address'],
])('%j is refused before anything is read', async (options, problem) => {
  await expect(importInto([line(1)], taken, options)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining(problem),
  })
})

test.each([
  ['[{"event":"e"}]', 'is a JSON array'],
  ['PK\x03\x04', 'zip archive'],
  ['{"event"\0:1}', 'no text in UTF-8'],
  ['{a}\n{b}\n', 'None of the first 2 lines is a JSON object'],
  ['a,b\n1,2\n', 'no column "event"'],
])('%j is no input: %s', async (text, problem) => {
  await expect(importInto([text], taken)).rejects.toMatchObject({
    code: 'wrong_format',
    message: expect.stringContaining(problem),
  })
})
