import { randomBytes } from 'node:crypto'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'
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
} from '../support/service-faults.ts'
import { waitForIndexer, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { openSqlite } from '../../../src/service/store/sqlite/sqlite.ts'
import { checkpoint, listLeafPages, withSqlite } from '../support/sqlite.ts'

const PAGE_BYTES = 4096
const PERSON_COUNT = 400

const copyCrashedFolder = copyFolder(async (folder) => {
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const keys = parseKeys(service.output())
  const { uuids } = await sendBatch(
    service.url,
    keys.apiKey,
    Array.from({ length: PERSON_COUNT }, (_, n) => ({
      event: '$identify',
      distinct_id: `user-${n}`,
      properties: { $set: { n, text: 'x'.repeat(300) } },
    })),
  )
  await waitForIndexer(service.url)
  await crash(service)
  return { ...keys, uuids }
})

/** Returns the folder of a crashed service. The metadata is in the write-ahead log (WAL) or, after a checkpoint, in the file. */
const createCrashedFolder = async (rowsIn: 'log' | 'file') => {
  const copy = await copyCrashedFolder()
  const metadata = join(copy.folder, 'metadata.sqlite')
  if (rowsIn === 'file') checkpoint(metadata)
  return { ...copy, metadata }
}

const countRows = (metadata: string, table: string): number =>
  withSqlite(metadata, (db) => Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()))

test('refuses to start on a damaged metadata page, and salvages all other pages', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await createCrashedFolder('file')
  const pages = listLeafPages(metadata, 'persons')
  for (const index of [3, 6]) overwrite(metadata, (pages[index]! - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  const refusal = await expectStartFailure(folder)
  expect(refusal).toContain(`The metadata ${metadata} is damaged: `)
  expect(refusal).toMatch(
    /Restore your backup of it, without \S+-wal and -shm\. Only if there is none: Run "waymark-service salvage/,
  )

  const { status, output } = runCommand(folder, 'salvage')
  expect({ status, output }).toMatchObject({ status: 0 })
  expect(output).toMatch(/^ {2}persons: \d+ rows; others were not readable$/m)
  expect(output).toMatch(/^ {2}projects: 1 rows$/m)
  expect(output).toMatch(new RegExp(`^ {2}person_distinct_ids: ${PERSON_COUNT} rows$`, 'm'))
  // Two pages of about ten rows each.
  expect(countRows(metadata, 'persons')).toBeGreaterThan(PERSON_COUNT - 30)

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  // Includes events of the persons whose rows are lost.
  const late = await sendBatch(
    service.url,
    apiKey,
    Array.from({ length: PERSON_COUNT }, (_, n) => ({
      event: '$set',
      distinct_id: `user-${n}`,
      properties: { $set: { n } },
    })),
  )
  await expectStoredOnce(service.url, personalApiKey, [...uuids, ...late.uuids])
  expect(countRows(metadata, 'persons')).toBe(PERSON_COUNT)
  expect(await queryRows(service.url, personalApiKey, 'select count(*) from persons')).toEqual([[PERSON_COUNT]])
})

test('refuses to start on a damaged metadata log, and salvages its rows', async () => {
  const { folder, metadata, personalApiKey, uuids } = await createCrashedFolder('log')
  // The log has a header of 32 bytes; each frame has a header of 24 bytes and a page.
  overwrite(`${metadata}-wal`, 32 + 10 * (PAGE_BYTES + 24) + 30, randomBytes(100))
  expect(await expectStartFailure(folder)).toContain(`write-ahead log (${metadata}-wal) is damaged after frame 10`)
  expect(runCommand(folder, 'salvage').status).toBe(0)
  expect(countRows(metadata, 'persons')).toBe(PERSON_COUNT)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})

test('asks for the backup when the header of the metadata is damaged', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await createCrashedFolder('file')
  const backup = join(folder, 'backup.sqlite')
  cpSync(metadata, backup)
  overwrite(metadata, 0, randomBytes(PAGE_BYTES))
  expect(await expectStartFailure(folder)).toContain(`The metadata ${metadata} is damaged: `)
  const { status, output } = runCommand(folder, 'salvage')
  expect(status).toBe(1)
  expect(output).toContain(`Nothing of the metadata file ${metadata} can be read`)
  expect(output).toContain('Replace it with your backup')
  // The start sends here, so the way back to it says what to do without a backup.
  expect(output).toContain('Without a backup, move the three files away')
  expect(output).not.toContain('Run "waymark-service salvage')
  for (const suffix of ['-wal', '-shm']) rmSync(`${metadata}${suffix}`, { force: true })
  renameSync(backup, metadata)
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late', distinct_id: 'user-1' }])
  await expectStoredOnce(service.url, personalApiKey, [...uuids, ...late.uuids])
  expect(await queryRows(service.url, personalApiKey, 'select count(distinct person_id) from events')).toEqual([
    [PERSON_COUNT],
  ])
})

test('warns about an older metadata backup, and uses its persons in queries too', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await createCrashedFolder('file')
  const backup = join(folder, 'backup.sqlite')
  cpSync(metadata, backup)
  const early = await startService(folder, { args: MANY_ROWS_ARGS })
  const merge = { event: '$create_alias', distinct_id: 'guest-1', properties: { alias: 'user-1', $set: { n: 'new' } } }
  const merged = await sendBatch(early.url, apiKey, [{ event: '$set', distinct_id: 'guest-1' }, merge])
  await waitForIndexer(early.url)
  await crash(early)
  for (const suffix of ['-wal', '-shm']) rmSync(`${metadata}${suffix}`, { force: true })
  renameSync(backup, metadata)

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late', distinct_id: 'user-2' }])
  await expectStoredOnce(service.url, personalApiKey, [...uuids, ...merged.uuids, ...late.uuids])
  await until(service.output, (output) => output.includes('The metadata is older than the store of project 1'))
  expect(
    await queryRows(
      service.url,
      personalApiKey,
      "select count(*), count(*) filter (properties->>'n' = 'new'), (select count(*) from person_distinct_ids) from persons",
    ),
  ).toEqual([[PERSON_COUNT, 0, PERSON_COUNT]])
})

test('responds 503 with a reason when the metadata is damaged at runtime', async () => {
  const { folder, metadata, apiKey, personalApiKey } = await createCrashedFolder('file')
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  expect((await readHealth(service.url)).status).toBe(200)
  checkpoint(metadata)
  for (const table of ['persons', 'personal_api_keys', 'person_distinct_ids'])
    for (const page of listLeafPages(metadata, table))
      overwrite(metadata, (page - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  // A change by another process makes the service read its pages again.
  withSqlite(metadata, (db) => db.exec('UPDATE inbox_mark SET highest_row = highest_row'))
  const response = await fetch(`${service.url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: 'select 1' }),
  })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({ type: 'server_error', code: 'metadata_damaged' })
  // Events only need the table of projects; they wait in the inbox.
  expect((await sendBatch(service.url, apiKey, [{ event: '$identify', distinct_id: 'user-1' }])).status).toBe(200)
  await crash(service)
})

test('refuses to start while another process has locked the metadata', async () => {
  const { folder, metadata, personalApiKey, uuids } = await createCrashedFolder('file')
  const otherProcess = openSqlite(metadata)
  otherProcess.exec('BEGIN IMMEDIATE')
  const refusal = await expectStartFailure(folder)
  otherProcess.close()
  expect(refusal).toContain(`The metadata ${metadata} is locked by another process`)
  expect(refusal).toContain('end it (its command line has "indexer.js"), then start again')

  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(service.url, personalApiKey, uuids)
})
