import { cpSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import { copyFolder } from '../support/copied-folder.ts'
import { overwrite } from '../support/disk.ts'
import { crash, readHealth, sendBatch } from '../support/service-faults.ts'
import { eventually, parseKeys, startService, waitForIndexer } from '../support/service-process.ts'

const REQUESTS = 5
const STORE = 'events/1.duckdb'

/** A crashed service with a first request in the file of its store, and later ones in the write-ahead log of it. */
const copyCrashedFolder = copyFolder(async (folder) => {
  const store = join(folder, STORE)
  const first = await startService(folder)
  const { apiKey } = parseKeys(first.output())
  await sendBatch(first.url, apiKey, [{ event: 'first' }])
  await waitForIndexer(first.url)
  await first.end('SIGTERM')
  cpSync(store, join(folder, 'old.duckdb'))
  const second = await startService(folder)
  for (let request = 0; request < REQUESTS; request++) {
    await sendBatch(second.url, apiKey, [{ event: 'later', properties: { text: 'x'.repeat(5000) } }])
    await waitForIndexer(second.url)
  }
  const inbox = openSqliteInbox({ path: join(folder, 'inbox.sqlite'), role: 'reader' })
  await eventually(() => inbox.storedAfter(1, 0)?.requests === REQUESTS + 1)
  inbox.close()
  await crash(second)
  return { apiKey }
})

const createCrashedFolder = async () => {
  const copy = await copyCrashedFolder()
  return { ...copy, store: join(copy.folder, STORE), old: join(copy.folder, 'old.duckdb') }
}

test.each<[string, RegExp, (files: { store: string; old: string }) => void]>([
  [
    'whose write-ahead log is cut off',
    / [1-5] requests? after row \d+, up to row \d+, are missing/,
    ({ store }) => truncateSync(`${store}.wal`, Math.floor(statSync(`${store}.wal`).size / 2)),
  ],
  ['without its write-ahead log', / 5 requests after row/, ({ store }) => rmSync(`${store}.wal`)],
  [
    'that is an older copy',
    / 5 requests after row/,
    ({ store, old }) => {
      rmSync(`${store}.wal`)
      cpSync(old, store)
    },
  ],
  [
    'that is gone',
    / 6 requests after row 0, up to/,
    ({ store }) => {
      for (const suffix of ['', '.wal', '.uuids']) rmSync(`${store}${suffix}`, { force: true })
    },
  ],
])('says at the start how many requests are missing in a store %s', async (_name, expected, change) => {
  const { folder, store, old } = await createCrashedFolder()
  change({ store, old })
  const service = await startService(folder)
  await eventually(() => expected.test(service.output()))
  expect(service.output()).toMatch(
    /Z warn {2}indexer: The store \S+1\.duckdb of project 1 is older than what was stored in it/,
  )
  expect((await readHealth(service.url)).store).toMatchObject({ ok: true, detail: expect.stringMatching(expected) })
})

test('says so once, and nothing about a store that has everything', async () => {
  const { folder, store, apiKey } = await createCrashedFolder()
  rmSync(`${store}.wal`)
  const service = await startService(folder)
  await sendBatch(service.url, apiKey, [{ event: 'new' }])
  await waitForIndexer(service.url)
  expect(service.output().match(/are missing/g)).toHaveLength(1)
  await service.end('SIGTERM')
  const next = await startService(folder)
  await sendBatch(next.url, apiKey, [{ event: 'new' }])
  await waitForIndexer(next.url)
  expect(next.output()).not.toContain('are missing')
  expect((await readHealth(next.url)).store).toEqual({ ok: true, detail: null })
})

test('reports a damaged store before its project gets an event', async () => {
  const { folder, store } = await createCrashedFolder()
  overwrite(store, 0, Buffer.alloc(4096, 1))
  const service = await startService(folder)
  await eventually(async () => !(await readHealth(service.url)).store.ok)
  expect((await readHealth(service.url)).store.detail).toContain(`The store file ${store} of project 1 is damaged: `)
})
