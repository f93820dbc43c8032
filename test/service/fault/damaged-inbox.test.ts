import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
const ROWS = 200

/** A data folder whose service crashed while rows waited in the write-ahead log or, after a checkpoint, in the file. */
const crashedFolder = async (rowsIn: 'log' | 'file') => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const keys = parseKeys(service.output())
  const sent = await sendWhileIndexerStopped(service, keys.apiKey, ROWS)
  await crash(service)
  if (rowsIn === 'file') checkpoint(inbox)
  return { folder, inbox, ...keys, sent, uuids: sent.flat() }
}

/** Overwrites the middle one of the pages with rows. */
const damageMiddlePage = (inbox: string): void => {
  const pages = listLeafPages(inbox, 'request')
  overwrite(inbox, (pages[Math.floor(pages.length / 2)]! - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
}

const expectSalvaged = (folder: string): string => {
  const { status, output } = runCommand(folder, 'salvage')
  expect({ status, output }).toMatchObject({ status: 0 })
  expect(output).toContain('was damaged and has been rebuilt')
  return output
}

test('refuses to start on a damaged page, and salvages all rows on other pages', async () => {
  const { folder, inbox, personalApiKey, sent, uuids } = await crashedFolder('file')
  damageMiddlePage(inbox)

  const refusal = await expectStartFailure(folder)
  expect(refusal).toContain(`The inbox ${inbox} is damaged: `)
  expect(refusal).toContain(`"waymark-service salvage --data-folder ${folder}"`)

  const output = expectSalvaged(folder)
  const [, first, last] = /Missing ids between them: (\d+)–(\d+)\./.exec(output)!.map(Number)
  const lost = last! - first! + 1
  // A page holds between 5 and 25 rows of 440 bytes.
  expect(lost).toBeGreaterThan(5)
  expect(lost).toBeLessThan(25)
  expect(output).toContain(`Copied ${ROWS - lost} rows, ids 1–${ROWS}.`)

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids, new Set(sent.slice(first! - 1, last).flat()))
  expect(runCommand(folder, 'salvage').output).toContain('Another waymark-service uses the data folder')
  await service.end('SIGTERM')
  expect(runCommand(folder, 'salvage').output).toMatch(/The metadata .* is intact.*\nThe inbox .* is intact/)
})

test('refuses to start on a damaged header of the inbox, and salvages every row', async () => {
  const { folder, inbox, personalApiKey, uuids } = await crashedFolder('file')
  overwrite(inbox, 0, randomBytes(PAGE_BYTES))
  expect(await expectStartFailure(folder)).toContain(`The inbox ${inbox} is damaged: file is not a database.`)
  expect(expectSalvaged(folder)).toContain(`Copied ${ROWS} rows, ids 1–${ROWS}.\n  No id between them is missing.`)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})

test.each([
  ['header', 0, 32],
  // The log has a header of 32 bytes; each frame has a header of 24 bytes and a page.
  ['frame', 32 + 20 * (PAGE_BYTES + 24) + 100, 200],
])('refuses to start on a damaged %s of the log, and salvages every row', async (_, offset, bytes) => {
  const { folder, inbox, personalApiKey, uuids } = await crashedFolder('log')
  overwrite(`${inbox}-wal`, offset, randomBytes(bytes))
  expect(await expectStartFailure(folder)).toContain(`write-ahead log (${inbox}-wal) is damaged`)
  expect(expectSalvaged(folder)).toContain(`Copied ${ROWS} rows, ids 1–${ROWS}.`)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})

test('reports unreadable rows in /healthz, and stores the rows before them', async () => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const [indexer] = listChildPids(service.pid)
  const sent = await sendWhileIndexerStopped(service, apiKey, ROWS)
  checkpoint(inbox)
  damageMiddlePage(inbox)
  process.kill(indexer!, 'SIGCONT')

  await eventually(async () => !(await readHealth(service.url)).store.ok)
  const { status, store } = await readHealth(service.url)
  expect(status).toBe(503)
  expect(store.detail).toContain(
    `The inbox ${inbox} cannot be read: database disk image is malformed. The file is damaged; the rows in it are not deleted`,
  )
  // The rows before the damaged page are stored, in order.
  const countStored = async (): Promise<number> =>
    Number((await queryRows(service.url, personalApiKey, 'select count(*) from events'))[0]![0])
  await eventually(async () => (await countStored()) > ROWS / 4)
  expect(await countStored()).toBeLessThan(ROWS)
  const more = await sendBatch(service.url, apiKey, [{ event: 'more' }])
  expect(more.status).toBe(200)
  expect(listChildPids(service.pid)).toEqual([indexer])
  expect(service.output().match(/cannot be read/g)).toHaveLength(1)

  expect(await service.end('SIGTERM')).toBe(0)
  await expectStartFailure(folder)
  const [, first, last] = /Missing ids between them: (\d+)–(\d+)\./.exec(expectSalvaged(folder))!.map(Number)
  const again = await startService(folder, { args: MANY_ROWS_ARGS })
  const lost = new Set(sent.slice(first! - 1, last).flat())
  await expectStoredOnce(again.url, personalApiKey, [...sent.flat(), ...more.uuids], lost)
})

test('responds 503 with a reason when the page for new rows is damaged', async () => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey } = parseKeys(service.output())
  await sendWhileIndexerStopped(service, apiKey, ROWS)
  await crash(service)
  checkpoint(inbox)
  // Intact for the check at the start, and damaged before the service reads the page again.
  const again = await startService(folder, { args: MANY_ROWS_ARGS })
  suspendProcess(listChildPids(again.pid)[0]!)
  checkpoint(inbox)
  for (const page of listLeafPages(inbox, 'request')) overwrite(inbox, (page - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  // A change by another process makes the service read its pages again.
  withSqlite(inbox, (db) => db.exec('UPDATE probe SET at = at + 1'))

  const { status, body, retryAfter } = await sendBatch(again.url, apiKey, [{ event: 'late' }])
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '5' })
  expect(JSON.parse(body)).toMatchObject({ type: 'server_error', code: 'inbox_damaged' })
  const health = await readHealth(again.url)
  expect(health).toMatchObject({ status: 503, inbox: { ok: false } })
})
