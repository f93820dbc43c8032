import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions } from '../../src/import/import-options.ts'
import { newOwner } from '../../src/platform/node/event-files/owner.ts'

// Thousands of rows, again and again.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const row = (at: number): string =>
  at % 1000 === 7 ? `bad ${at}\n` : `{"event":"e${at}","distinct_id":"u","timestamp":"2024-01-31T09:00:00Z"}\n`

const ROWS = 12_000
const TEXT = Array.from({ length: ROWS }, (_, at) => row(at)).join('')
const CSV = `event,distinct_id,timestamp,properties.note\n${Array.from({ length: ROWS }, (_, at) =>
  at % 1000 === 7 ? `bad ${at}\n` : `e${at},u,2024-01-31T09:00:00Z,"two\nlines"\n`,
).join('')}`
const WANTED = Array.from({ length: ROWS }, (_, at) => `e${at}`).filter((_, at) => at % 1000 !== 7)

const chunksOf = async function* (bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** A service that takes events, and ends the process that sends them, as it seems, at some request: before or after it is stored. */
const createStore = () => {
  const events = new Map<string, string>()
  let dieAt = Number.POSITIVE_INFINITY
  let requests = 0
  return {
    names: () => [...events.values()],
    requests: () => requests,
    dieAt: (request: number) => {
      dieAt = request
      requests = 0
    },
    options: (): Pick<ImportOptions, 'key' | 'host' | 'fetch' | 'onProgress'> => ({
      key: 'k',
      host: 'http://127.0.0.1:1',
      fetch: async (_, init) => {
        const { batch } = JSON.parse(gunzipSync(init?.body as Uint8Array).toString())
        for (const { uuid, event } of batch) if (!events.has(uuid)) events.set(uuid, event)
        requests++
        // Stored, and the import does not live to hear it.
        if (requests > dieAt) return new Response('{"code":"died","detail":"died"}', { status: 401 })
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
)(
  '%s (%s) that is ended after any batches goes on where it was: every event once, in order, rejects once',
  async (source, name) => {
    const path = join(folder, name)
    const text = name.includes('csv') ? CSV : TEXT
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }), async (deaths) => {
        const journal = join(folder, 'journal')
        rmSync(journal, { force: true })
        const store = createStore()
        const run = (): Promise<unknown> =>
          importHistory({
            ...store.options(),
            source: sources[source]!(path),
            format: name.includes('csv') ? 'csv' : 'ndjson',
            journal,
            rejects: join(folder, 'rejects'),
          })
        for (const death of deaths) {
          store.dieAt(death)
          await run().catch(() => undefined)
        }
        store.dieAt(Number.POSITIVE_INFINITY)
        expect(await run()).toMatchObject({ sent: WANTED.length, rejected: ROWS / 1000, isComplete: true })
        expect(store.names()).toEqual(WANTED)
        const lines = readFileSync(join(folder, 'rejects'), 'utf8').trim().split('\n')
        expect(lines.map((text) => /bad \d+/.exec(text)?.[0])).toEqual(
          Array.from({ length: ROWS / 1000 }, (_, at) => `bad ${at * 1000 + 7}`),
        )
      }),
      { numRuns: 3 },
    )
  },
)

test('only what is left is sent, and nothing at all once it is complete', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  const options = { ...store.options(), source: path, journal: join(folder, 'journal') }
  store.dieAt(2)
  await importHistory(options).catch(() => undefined)
  store.dieAt(9)
  expect(await importHistory(options)).toMatchObject({ isResumed: true, isComplete: true, batches: 3 })
  expect(store.requests()).toBe(1)
  store.dieAt(9)
  expect(await importHistory(options)).toMatchObject({ sent: WANTED.length, isComplete: true, bytesRead: 0 })
  expect(store.requests()).toBe(0)
})

test('what an earlier run left behind its journal in the file of rejects is cut off', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  const rejects = join(folder, 'rejects')
  const options = { ...store.options(), source: path, journal: join(folder, 'journal'), rejects }
  store.dieAt(1)
  await importHistory(options).catch(() => undefined)
  writeFileSync(rejects, '{"half a l', { flag: 'a' })
  store.dieAt(9)
  await importHistory(options)
  const lines = readFileSync(rejects, 'utf8').trim().split('\n')
  expect(lines.map((text) => JSON.parse(text).line)).toEqual(Array.from({ length: 12 }, (_, at) => at * 1000 + 8))
})

test('a half-done journal holds no key, and belongs to one input, host, key and format', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  const journal = join(folder, 'journal')
  const options = { ...store.options(), key: 'wm_a_key', source: path, journal }
  store.dieAt(1)
  await importHistory(options).catch(() => undefined)
  store.dieAt(9)
  expect(readFileSync(journal, 'utf8')).not.toContain('wm_a_key')
  const other = { code: 'other_input' }
  await expect(importHistory({ ...options, host: 'http://127.0.0.1:2' })).rejects.toMatchObject(other)
  await expect(importHistory({ ...options, format: 'csv' })).rejects.toMatchObject(other)
  await expect(importHistory({ ...options, key: 'other' })).rejects.toMatchObject(other)
  await expect(importHistory({ ...options, source: chunksOf(Buffer.from(TEXT), 1000) })).rejects.toMatchObject(other)
  utimesSync(path, 1, 1)
  await expect(importHistory(options)).rejects.toMatchObject(other)
  expect(await importHistory({ ...options, restart: true })).toMatchObject({ sent: WANTED.length, isResumed: false })
  // Stored once all the same: uuids follow from the rows.
  expect(store.names()).toHaveLength(WANTED.length)
})

test("a finished journal is in nobody's way: the next export of the same name, or another host, begins anew and says so", async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, row(1) + row(2))
  const store = createStore()
  const options = { ...store.options(), source: path, journal: join(folder, 'journal') }
  expect(await importHistory(options)).toMatchObject({ sent: 2, isBegunAnew: false })
  writeFileSync(path, row(3))
  expect(await importHistory(options)).toMatchObject({ sent: 1, isBegunAnew: true, isResumed: false, isComplete: true })
  expect(store.names()).toEqual(['e1', 'e2', 'e3'])
  expect(await importHistory({ ...options, host: 'http://127.0.0.1:2' })).toMatchObject({ sent: 1, isBegunAnew: true })
})

test('a finished journal hides no other stream: one after the other through one journal, all are imported', async () => {
  const store = createStore()
  const journal = join(folder, 'journal')
  for (const text of [row(1) + row(2), row(3) + row(4), row(3) + row(4)]) {
    const source = chunksOf(Buffer.from(text), 50)
    expect(await importHistory({ ...store.options(), source, journal })).toMatchObject({ sent: 2, isComplete: true })
  }
  expect(store.names()).toEqual(['e1', 'e2', 'e3', 'e4'])
})

test('a run that has sent nothing binds nobody: after a wrong key, host or format the right one just works', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, CSV)
  const store = createStore()
  const options = { ...store.options(), source: path, journal: join(folder, 'journal') }
  await expect(importHistory({ ...options, key: 'wrong' })).rejects.toMatchObject({ code: 'wrong_format' })
  store.dieAt(0)
  await expect(importHistory({ ...options, format: 'csv' })).rejects.toMatchObject({ code: 'key_refused' })
  store.dieAt(9)
  expect(await importHistory({ ...options, format: 'csv' })).toMatchObject({ sent: WANTED.length, isResumed: false })
})

test("two imports at once are not let into one journal; one that was killed stands in nobody's way", async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  const journal = join(folder, 'journal')
  const options = { ...store.options(), source: path, journal }
  const both = await Promise.allSettled([importHistory(options), importHistory(options)])
  expect(new Set(both.map((one) => (one.status === 'fulfilled' ? 'done' : one.reason.code)))).toEqual(
    new Set(['done', 'in_use']),
  )
  expect(existsSync(`${journal}.lock`)).toBe(false)
  // The number of a process that was killed is in use again: its begin tells the two apart. (Real kills: see the tests with the service.)
  const [space, pid, tid, begin, agent] = newOwner(Buffer.from('agent')).split('-')
  writeFileSync(`${journal}.lock`, [space, pid, tid, Number(begin) - 1, agent].join('-'))
  expect(await importHistory({ ...options, restart: true })).toMatchObject({ isComplete: true })
  // What is no owner's is not judged.
  writeFileSync(`${journal}.lock`, 'something')
  await expect(importHistory(options)).rejects.toMatchObject({ code: 'in_use' })
})

test('a failed import gives its journal back', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  store.dieAt(1)
  const journal = join(folder, 'journal')
  await expect(importHistory({ ...store.options(), source: path, journal })).rejects.toThrow()
  expect(existsSync(`${journal}.lock`)).toBe(false)
})

test('a stream whose beginning differs, or that ends too soon, is another input', async () => {
  const store = createStore()
  const journal = join(folder, 'journal')
  const run = (text: string) =>
    importHistory({ ...store.options(), source: chunksOf(Buffer.from(text), 5000), journal })
  store.dieAt(1)
  await run(TEXT).catch(() => undefined)
  store.dieAt(9)
  await expect(run(TEXT.replace('e3', 'f3'))).rejects.toMatchObject({
    code: 'other_input',
    message: expect.stringContaining('differs'),
  })
  await expect(run(TEXT.slice(0, 1000))).rejects.toMatchObject({
    code: 'other_input',
    message: expect.stringContaining('ends before'),
  })
  expect(await run(TEXT)).toMatchObject({ sent: WANTED.length })
})

test('a journal that cannot be written, or is none, is told before anything is sent', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, TEXT)
  const store = createStore()
  const at = (journal: string) => importHistory({ ...store.options(), source: path, journal })
  await expect(at(join(folder, 'missing/journal'))).rejects.toMatchObject({ code: 'unusable_file' })
  await expect(at(path)).rejects.toMatchObject({ code: 'invalid_option' })
  // Nor is it written over when the import begins anew.
  writeFileSync(join(folder, 'notes'), 'mine')
  const restarted = { ...store.options(), source: path, journal: join(folder, 'notes'), restart: true }
  await expect(importHistory(restarted)).rejects.toMatchObject({ code: 'unusable_file' })
  expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe('mine')
  expect(store.requests()).toBe(0)
})

test('a gzip that is cut off is an error, after what could be read was imported', async () => {
  const path = join(folder, 'a.ndjson.gz')
  const packed = gzipSync(TEXT)
  writeFileSync(path, packed.subarray(0, packed.length - 100))
  const store = createStore()
  await expect(importHistory({ ...store.options(), source: path })).rejects.toMatchObject({ code: 'damaged_input' })
  expect(store.names()).toEqual(WANTED.slice(0, store.names().length))
})
