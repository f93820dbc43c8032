import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyFolder } from '../support/copied-folder.ts'
import { overwrite } from '../support/disk.ts'
import {
  crash,
  expectStoredOnce,
  readHealth,
  MANY_ROWS_ARGS,
  expectStartFailure,
  runCommand,
  sendBatch,
  sendWhileIndexerStopped,
} from '../support/service-faults.ts'
import { checkpoint, listLeafPages, withSqlite } from '../support/sqlite.ts'
import {
  listChildPids,
  eventually,
  parseKeys,
  queryRows,
  startService,
  suspendProcess,
} from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const PAGE_BYTES = 8192
const ROW_COUNT = 200

const copyCrashedFolder = copyFolder(async (folder) => {
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const keys = parseKeys(service.output())
  const sent = await sendWhileIndexerStopped(service, keys.apiKey, ROW_COUNT)
  await crash(service)
  return { ...keys, sent, uuids: sent.flat() }
})

/** Returns the data folder of a crashed service. Its rows are in the write-ahead log (WAL) or, after a checkpoint, in the file. */
const createCrashedFolder = async (rowsIn: 'log' | 'file') => {
  const copy = await copyCrashedFolder()
  const inbox = join(copy.folder, 'inbox.sqlite')
  if (rowsIn === 'file') checkpoint(inbox)
  return { ...copy, inbox }
}

/** Overwrites the middle page that contains rows. */
const damageMiddlePage = (inbox: string): void => {
  const pages = listLeafPages(inbox, 'request')
  overwrite(inbox, (pages[Math.floor(pages.length / 2)]! - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
}

/** Runs the salvage command, expects that it rebuilt a file, and returns its output. */
const expectSalvaged = (folder: string): string => {
  const { status, output } = runCommand(folder, 'salvage')
  expect({ status, output }).toMatchObject({ status: 0 })
  expect(output).toContain('was damaged and has been rebuilt')
  return output
}

test('refuses to start on a damaged inbox page, and salvages all other pages', async () => {
  const { folder, inbox, personalApiKey, sent, uuids } = await createCrashedFolder('file')
  damageMiddlePage(inbox)

  const refusal = await expectStartFailure(folder)
  expect(refusal).toContain(`The inbox ${inbox} is damaged: `)
  expect(refusal).toContain(`"waymark-service salvage --data-folder ${folder}"`)

  const output = expectSalvaged(folder)
  const [, firstId, lastId] = /Missing ids between them: (\d+)–(\d+)\./.exec(output)!.map(Number)
  const lostCount = lastId! - firstId! + 1
  // A page has between 5 and 25 rows of 440 bytes.
  expect(lostCount).toBeGreaterThan(5)
  expect(lostCount).toBeLessThan(25)
  expect(output).toContain(`Copied ${ROW_COUNT - lostCount} rows, ids 1–${ROW_COUNT}.`)

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids, new Set(sent.slice(firstId! - 1, lastId).flat()))
  expect(runCommand(folder, 'salvage').output).toContain('Another waymark-service uses the data folder')
  await service.end('SIGTERM')
  expect(runCommand(folder, 'salvage').output).toMatch(/The metadata .* is intact.*\nThe inbox .* is intact/)
})

test('refuses to start on a damaged header of the inbox, and salvages every row', async () => {
  const { folder, inbox, personalApiKey, uuids } = await createCrashedFolder('file')
  overwrite(inbox, 0, randomBytes(PAGE_BYTES))
  expect(await expectStartFailure(folder)).toContain(`The inbox ${inbox} is damaged: file is not a database.`)
  expect(expectSalvaged(folder)).toContain(
    `Copied ${ROW_COUNT} rows, ids 1–${ROW_COUNT}.\n  No id between them is missing.`,
  )
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})

test.each([
  ['header', 0, 32],
  // The log has a header of 32 bytes; each frame has a header of 24 bytes and a page.
  ['frame', 32 + 20 * (PAGE_BYTES + 24) + 100, 200],
])('refuses to start on a damaged %s of the inbox log, and salvages every row', async (_, offset, bytes) => {
  const { folder, inbox, personalApiKey, uuids } = await createCrashedFolder('log')
  overwrite(`${inbox}-wal`, offset, randomBytes(bytes))
  expect(await expectStartFailure(folder)).toContain(`write-ahead log (${inbox}-wal) is damaged`)
  expect(expectSalvaged(folder)).toContain(`Copied ${ROW_COUNT} rows, ids 1–${ROW_COUNT}.`)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})

test('reports unreadable rows in /healthz, and stores the rows before them', async () => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const [indexer] = listChildPids(service.pid)
  const sent = await sendWhileIndexerStopped(service, apiKey, ROW_COUNT)
  checkpoint(inbox)
  damageMiddlePage(inbox)
  process.kill(indexer!, 'SIGCONT')

  // Before that, the health may still report that the stopped indexer does not respond.
  await eventually(async () => (await readHealth(service.url)).store.detail?.includes('cannot be read') === true)
  const { status, store } = await readHealth(service.url)
  expect(status).toBe(503)
  expect(store.detail).toContain(
    `The inbox ${inbox} cannot be read: database disk image is malformed. The file is damaged; the rows in it are not deleted`,
  )
  // The rows before the damaged page are stored, in order.
  const countStored = async (): Promise<number> =>
    Number((await queryRows(service.url, personalApiKey, 'select count(*) from events'))[0]![0])
  await eventually(async () => (await countStored()) > ROW_COUNT / 4)
  expect(await countStored()).toBeLessThan(ROW_COUNT)
  const later = await sendBatch(service.url, apiKey, [{ event: 'more' }])
  expect(later.status).toBe(200)
  expect(listChildPids(service.pid)).toEqual([indexer])
  expect(service.output().match(/cannot be read/g)).toHaveLength(1)

  expect(await service.end('SIGTERM')).toBe(0)
  await expectStartFailure(folder)
  const [, firstId, lastId] = /Missing ids between them: (\d+)–(\d+)\./.exec(expectSalvaged(folder))!.map(Number)
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  const lostUuids = new Set(sent.slice(firstId! - 1, lastId).flat())
  await expectStoredOnce(restarted.url, personalApiKey, [...sent.flat(), ...later.uuids], lostUuids)
})

test('responds 503 with a reason when the page for new rows is damaged', async () => {
  const { folder, inbox, apiKey } = await createCrashedFolder('file')
  // Intact for the check at the start, and damaged before the service reads the page again.
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  suspendProcess(listChildPids(restarted.pid)[0]!)
  checkpoint(inbox)
  for (const page of listLeafPages(inbox, 'request')) overwrite(inbox, (page - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  // A change by another process makes the service read its pages again.
  withSqlite(inbox, (db) => db.exec('UPDATE probe SET at = at + 1'))

  const { status, body, retryAfter } = await sendBatch(restarted.url, apiKey, [{ event: 'late' }])
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '5' })
  expect(JSON.parse(body)).toMatchObject({ type: 'server_error', code: 'inbox_damaged' })
  const health = await readHealth(restarted.url)
  expect(health).toMatchObject({ status: 503, inbox: { ok: false } })
})
