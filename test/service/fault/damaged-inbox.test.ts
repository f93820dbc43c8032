import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { overwrite } from '../support/disk.ts'
import {
  crash,
  expectEachOnce,
  healthOf,
  MANY_ROWS,
  refusedStart,
  runCommand,
  sendBatch,
  sendWaiting,
} from '../support/service-faults.ts'
import { checkpoint, leavesOf, withSqlite } from '../support/sqlite.ts'
import { childrenOf, eventually, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAGE_BYTES = 8192
const ROWS = 200

/** A data folder whose service crashed while rows waited, in the log or, checkpointed, in the file itself. */
const crashedFolder = async (rowsIn: 'log' | 'file') => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS })
  const keys = keysIn(service.output())
  const sent = await sendWaiting(service, keys.apiKey, ROWS)
  await crash(service)
  if (rowsIn === 'file') checkpoint(inbox)
  return { folder, inbox, ...keys, sent, uuids: sent.flat() }
}

/** Overwrites a page in the middle of those that hold rows. */
const damageMiddlePage = (inbox: string): void => {
  const pages = leavesOf(inbox, 'request')
  overwrite(inbox, (pages[Math.floor(pages.length / 2)]! - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
}

const expectSalvaged = (folder: string): string => {
  const { status, output } = runCommand(folder, 'salvage')
  expect({ status, output }).toMatchObject({ status: 0 })
  expect(output).toContain('was damaged and is made anew')
  return output
}

test('refuses to start on a damaged page of waiting rows, and salvages every row outside of it', async () => {
  const { folder, inbox, personalApiKey, sent, uuids } = await crashedFolder('file')
  damageMiddlePage(inbox)

  const refusal = await refusedStart(folder)
  expect(refusal).toContain(`The inbox ${inbox} is damaged: `)
  expect(refusal).toContain(`"waymark-service salvage --data-folder ${folder}"`)

  const output = expectSalvaged(folder)
  const [, first, last] = /Missing between them: (\d+)–(\d+)\./.exec(output)!.map(Number)
  const lost = last! - first! + 1
  // A page holds as many rows of 440 bytes.
  expect(lost).toBeGreaterThan(5)
  expect(lost).toBeLessThan(25)
  expect(output).toContain(`${ROWS - lost} rows were read, ids 1–${ROWS}.`)

  const service = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(service.url, personalApiKey, uuids, new Set(sent.slice(first! - 1, last).flat()))
  expect(runCommand(folder, 'salvage').output).toContain('Another waymark-service is using the data folder')
  await service.end('SIGTERM')
  expect(runCommand(folder, 'salvage').output).toMatch(/The metadata .* is whole.*\nThe inbox .* is whole/)
})

test('refuses to start on a damaged head of the inbox, and salvages every row', async () => {
  const { folder, inbox, personalApiKey, uuids } = await crashedFolder('file')
  overwrite(inbox, 0, randomBytes(PAGE_BYTES))
  expect(await refusedStart(folder)).toContain(`The inbox ${inbox} is damaged: file is not a database.`)
  expect(expectSalvaged(folder)).toContain(`${ROWS} rows were read, ids 1–${ROWS}.\n  None is missing between them.`)
  const service = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(service.url, personalApiKey, uuids)
})

test.each([
  ['in its head', 0, 32],
  // A frame is a head of 24 bytes and a page; the log begins with 32 bytes of its own.
  ['early in it', 32 + 20 * (PAGE_BYTES + 24) + 100, 200],
])(
  'refuses to start on a log that is damaged %s, which SQLite would drop without a word, and salvages what it holds',
  async (_, at, bytes) => {
    const { folder, inbox, personalApiKey, uuids } = await crashedFolder('log')
    overwrite(`${inbox}-wal`, at, randomBytes(bytes))
    expect(await refusedStart(folder)).toContain(`write-ahead log (${inbox}-wal) is damaged`)
    expect(expectSalvaged(folder)).toContain(`${ROWS} rows were read, ids 1–${ROWS}.`)
    const service = await startService(folder, { args: MANY_ROWS })
    await expectEachOnce(service.url, personalApiKey, uuids)
  },
)

test('says in /healthz that waiting rows cannot be read, stores those before them, and restarts nothing', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const [indexer] = childrenOf(service.pid)
  const sent = await sendWaiting(service, apiKey, ROWS)
  checkpoint(inbox)
  damageMiddlePage(inbox)
  process.kill(indexer!, 'SIGCONT')

  await eventually(async () => !(await healthOf(service.url)).store.ok)
  const { status, store } = await healthOf(service.url)
  expect(status).toBe(503)
  expect(store.detail).toContain(`The inbox ${inbox} cannot be read: database disk image is malformed. It is damaged`)
  // Stored are the rows before the damaged page, in their order.
  const countStored = async (): Promise<number> =>
    Number((await queryRows(service.url, personalApiKey, 'select count(*) from events'))[0]![0])
  await eventually(async () => (await countStored()) > ROWS / 4)
  expect(await countStored()).toBeLessThan(ROWS)
  const more = await sendBatch(service.url, apiKey, [{ event: 'more' }])
  expect(more.status).toBe(200)
  expect(childrenOf(service.pid)).toEqual([indexer])
  expect(service.output().match(/cannot be read/g)).toHaveLength(1)

  expect(await service.end('SIGTERM')).toBe(0)
  await refusedStart(folder)
  const [, first, last] = /Missing between them: (\d+)–(\d+)\./.exec(expectSalvaged(folder))!.map(Number)
  const again = await startService(folder, { args: MANY_ROWS })
  const lost = new Set(sent.slice(first! - 1, last).flat())
  await expectEachOnce(again.url, personalApiKey, [...sent.flat(), ...more.uuids], lost)
})

test('answers 503 with a reason when the page that takes new rows is damaged', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey } = keysIn(service.output())
  await sendWaiting(service, apiKey, ROWS)
  await crash(service)
  checkpoint(inbox)
  // Whole when the start looks, and damaged before the service reads it again.
  const again = await startService(folder, { args: MANY_ROWS })
  process.kill(childrenOf(again.pid)[0]!, 'SIGSTOP')
  checkpoint(inbox)
  for (const page of leavesOf(inbox, 'request')) overwrite(inbox, (page - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  // A change by another process makes the service read its pages anew.
  withSqlite(inbox, (db) => db.exec('UPDATE probe SET at = at + 1'))

  const { status, body, retryAfter } = await sendBatch(again.url, apiKey, [{ event: 'late' }])
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '5' })
  expect(JSON.parse(body)).toMatchObject({ type: 'server_error', code: 'inbox_damaged' })
  const health = await healthOf(again.url)
  expect(health).toMatchObject({ status: 503, inbox: { ok: false } })
})
