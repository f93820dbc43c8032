import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions } from '../../src/import/import-options.ts'
import { createOwnerId } from '../../src/platform/node/event-files/owner.ts'

// Each test imports thousands of rows several times.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Formats a line of NDJSON; one line in 1,000 is invalid. */
const row = (index: number): string =>
  index % 1000 === 7 ? `bad ${index}\n` : `{"event":"e${index}","distinct_id":"u","timestamp":"2024-01-31T09:00:00Z"}\n`

/** Enough rows for three batches of at most 5,000 events. */
const ROW_COUNT = 12_000
const NDJSON = Array.from({ length: ROW_COUNT }, (_, index) => row(index)).join('')
const CSV = `event,distinct_id,timestamp,properties.note\n${Array.from({ length: ROW_COUNT }, (_, index) =>
  index % 1000 === 7 ? `bad ${index}\n` : `e${index},u,2024-01-31T09:00:00Z,"two\nlines"\n`,
).join('')}`
/** The names of the events in valid rows, in order. */
const EXPECTED_NAMES = Array.from({ length: ROW_COUNT }, (_, index) => `e${index}`).filter(
  (_, index) => index % 1000 !== 7,
)

const chunksOf = async function* (bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += length) yield bytes.subarray(index, index + length)
}

/** A fake service. After the number of requests set by `failAfter`, it stores events but responds 401, as if the import had died. */
const createFakeService = () => {
  const events = new Map<string, string>()
  let failAfter = Number.POSITIVE_INFINITY
  let requestCount = 0
  return {
    eventNames: () => [...events.values()],
    requestCount: () => requestCount,
    failAfter: (count: number) => {
      failAfter = count
      requestCount = 0
    },
    options: (): Pick<ImportOptions, 'key' | 'host' | 'fetch' | 'onProgress'> => ({
      key: 'k',
      host: 'http://127.0.0.1:1',
      fetch: async (_, init) => {
        const { batch } = JSON.parse(gunzipSync(init?.body as Uint8Array).toString())
        for (const { uuid, event } of batch) if (!events.has(uuid)) events.set(uuid, event)
        requestCount++
        // The events are stored, but the import gets an error.
        if (requestCount > failAfter) return new Response('{"code":"died","detail":"died"}', { status: 401 })
        return Response.json({ status: 1 })
      },
    }),
  }
}

const sources: Readonly<Record<string, (path: string) => ImportOptions['source']>> = {
  'a file': (path) => path,
  'a stream': (path) => chunksOf(readFileSync(path), 10_000),
}

test.each(
  Object.keys(sources).flatMap((source) =>
    ['a.ndjson', 'a.ndjson.gz', 'a.csv', 'a.csv.gz'].map((name) => [source, name] as const),
  ),
)('resumes %s (%s) after failures and stores each event and reject once', async (source, name) => {
  const path = join(folder, name)
  const content = name.includes('csv') ? CSV : NDJSON
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(content) : content)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }), async (failures) => {
      const journal = join(folder, 'journal')
      rmSync(journal, { force: true })
      const service = createFakeService()
      const runImport = (): Promise<unknown> =>
        importHistory({
          ...service.options(),
          source: sources[source]!(path),
          format: name.includes('csv') ? 'csv' : 'ndjson',
          journal,
          rejects: join(folder, 'rejects'),
        })
      for (const failure of failures) {
        service.failAfter(failure)
        await runImport().catch(() => undefined)
      }
      service.failAfter(Number.POSITIVE_INFINITY)
      expect(await runImport()).toMatchObject({
        sent: EXPECTED_NAMES.length,
        rejected: ROW_COUNT / 1000,
        isComplete: true,
      })
      expect(service.eventNames()).toEqual(EXPECTED_NAMES)
      const lines = readFileSync(join(folder, 'rejects'), 'utf8').trim().split('\n')
      expect(lines.map((line) => /bad \d+/.exec(line)?.[0])).toEqual(
        Array.from({ length: ROW_COUNT / 1000 }, (_, index) => `bad ${index * 1000 + 7}`),
      )
    }),
    { numRuns: 3 },
  )
})

test('sends only events that are left, and nothing after a complete import', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  const options = { ...service.options(), source: path, journal: join(folder, 'journal') }
  service.failAfter(2)
  await importHistory(options).catch(() => undefined)
  service.failAfter(9)
  expect(await importHistory(options)).toMatchObject({ isResumed: true, isComplete: true, batches: 3 })
  expect(service.requestCount()).toBe(1)
  service.failAfter(9)
  expect(await importHistory(options)).toMatchObject({ sent: EXPECTED_NAMES.length, isComplete: true, bytesRead: 0 })
  expect(service.requestCount()).toBe(0)
})

test('truncates rejects that an earlier run wrote after its last journal entry', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  const rejects = join(folder, 'rejects')
  const options = { ...service.options(), source: path, journal: join(folder, 'journal'), rejects }
  service.failAfter(1)
  await importHistory(options).catch(() => undefined)
  writeFileSync(rejects, '{"half a l', { flag: 'a' })
  service.failAfter(9)
  await importHistory(options)
  const lines = readFileSync(rejects, 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 12 }, (_, index) => index * 1000 + 8))
})

test('an unfinished journal contains no key, and rejects another input or target', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  const journal = join(folder, 'journal')
  const options = { ...service.options(), key: 'wm_a_key', source: path, journal }
  service.failAfter(1)
  await importHistory(options).catch(() => undefined)
  service.failAfter(9)
  expect(readFileSync(journal, 'utf8')).not.toContain('wm_a_key')
  const otherInputError = { code: 'other_input' }
  await expect(importHistory({ ...options, host: 'http://127.0.0.1:2' })).rejects.toMatchObject(otherInputError)
  await expect(importHistory({ ...options, format: 'csv' })).rejects.toMatchObject(otherInputError)
  await expect(importHistory({ ...options, key: 'other' })).rejects.toMatchObject(otherInputError)
  await expect(importHistory({ ...options, source: chunksOf(Buffer.from(NDJSON), 1000) })).rejects.toMatchObject(
    otherInputError,
  )
  utimesSync(path, 1, 1)
  await expect(importHistory(options)).rejects.toMatchObject(otherInputError)
  expect(await importHistory({ ...options, restart: true })).toMatchObject({
    sent: EXPECTED_NAMES.length,
    isResumed: false,
  })
  // Still stored once, because the uuids are derived from the rows.
  expect(service.eventNames()).toHaveLength(EXPECTED_NAMES.length)
})

test('starts from the beginning if a finished journal has another input or host', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, row(1) + row(2))
  const service = createFakeService()
  const options = { ...service.options(), source: path, journal: join(folder, 'journal') }
  expect(await importHistory(options)).toMatchObject({ sent: 2, isBegunAnew: false })
  writeFileSync(path, row(3))
  expect(await importHistory(options)).toMatchObject({ sent: 1, isBegunAnew: true, isResumed: false, isComplete: true })
  expect(service.eventNames()).toEqual(['e1', 'e2', 'e3'])
  expect(await importHistory({ ...options, host: 'http://127.0.0.1:2' })).toMatchObject({ sent: 1, isBegunAnew: true })
})

test('imports several streams one after the other with one journal', async () => {
  const service = createFakeService()
  const journal = join(folder, 'journal')
  for (const ndjson of [row(1) + row(2), row(3) + row(4), row(3) + row(4)]) {
    const source = chunksOf(Buffer.from(ndjson), 50)
    expect(await importHistory({ ...service.options(), source, journal })).toMatchObject({ sent: 2, isComplete: true })
  }
  expect(service.eventNames()).toEqual(['e1', 'e2', 'e3', 'e4'])
})

test('accepts another key, host or format after a run that sent nothing', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, CSV)
  const service = createFakeService()
  const options = { ...service.options(), source: path, journal: join(folder, 'journal') }
  await expect(importHistory({ ...options, key: 'wrong' })).rejects.toMatchObject({ code: 'wrong_format' })
  service.failAfter(0)
  await expect(importHistory({ ...options, format: 'csv' })).rejects.toMatchObject({ code: 'key_refused' })
  service.failAfter(9)
  expect(await importHistory({ ...options, format: 'csv' })).toMatchObject({
    sent: EXPECTED_NAMES.length,
    isResumed: false,
  })
})

test('allows one import per journal at a time, and takes over the lock of a dead one', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  const journal = join(folder, 'journal')
  const options = { ...service.options(), source: path, journal }
  const results = await Promise.allSettled([importHistory(options), importHistory(options)])
  expect(new Set(results.map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.code)))).toEqual(
    new Set(['done', 'in_use']),
  )
  expect(existsSync(`${journal}.lock`)).toBe(false)
  // The lock of a killed import whose process id is used again: only the start time differs. test/service/import kills real processes.
  const [namespace, pid, tid, startedAt, agent] = createOwnerId(Buffer.from('agent')).split('-')
  writeFileSync(`${journal}.lock`, [namespace, pid, tid, Number(startedAt) - 1, agent].join('-'))
  expect(await importHistory({ ...options, restart: true })).toMatchObject({ isComplete: true })
  // A lock with unknown content is not taken over.
  writeFileSync(`${journal}.lock`, 'something')
  await expect(importHistory(options)).rejects.toMatchObject({ code: 'in_use' })
})

test('releases the lock of the journal after a failure', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  service.failAfter(1)
  const journal = join(folder, 'journal')
  await expect(importHistory({ ...service.options(), source: path, journal })).rejects.toThrow()
  expect(existsSync(`${journal}.lock`)).toBe(false)
})

test('rejects a stream that begins differently or ends before the recorded position', async () => {
  const service = createFakeService()
  const journal = join(folder, 'journal')
  const run = (ndjson: string) =>
    importHistory({ ...service.options(), source: chunksOf(Buffer.from(ndjson), 5000), journal })
  service.failAfter(1)
  await run(NDJSON).catch(() => undefined)
  service.failAfter(9)
  await expect(run(NDJSON.replace('e3', 'f3'))).rejects.toMatchObject({
    code: 'other_input',
    message: expect.stringContaining('differs'),
  })
  await expect(run(NDJSON.slice(0, 1000))).rejects.toMatchObject({
    code: 'other_input',
    message: expect.stringContaining('ends before'),
  })
  expect(await run(NDJSON)).toMatchObject({ sent: EXPECTED_NAMES.length })
})

test('rejects a journal that cannot be written or is another file, and sends nothing', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, NDJSON)
  const service = createFakeService()
  const importWith = (journal: string) => importHistory({ ...service.options(), source: path, journal })
  await expect(importWith(join(folder, 'missing/journal'))).rejects.toMatchObject({ code: 'unusable_file' })
  await expect(importWith(path)).rejects.toMatchObject({ code: 'invalid_option' })
  // A restart does not overwrite it either.
  writeFileSync(join(folder, 'notes'), 'mine')
  const restarted = { ...service.options(), source: path, journal: join(folder, 'notes'), restart: true }
  await expect(importHistory(restarted)).rejects.toMatchObject({ code: 'unusable_file' })
  expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe('mine')
  expect(service.requestCount()).toBe(0)
})

test('imports the readable rows of a truncated gzip, then fails', async () => {
  const path = join(folder, 'a.ndjson.gz')
  const compressed = gzipSync(NDJSON)
  writeFileSync(path, compressed.subarray(0, compressed.length - 100))
  const service = createFakeService()
  await expect(importHistory({ ...service.options(), source: path })).rejects.toMatchObject({ code: 'damaged_input' })
  expect(service.eventNames()).toEqual(EXPECTED_NAMES.slice(0, service.eventNames().length))
})
