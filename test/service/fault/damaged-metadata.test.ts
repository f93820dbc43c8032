import { randomBytes } from 'node:crypto'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { overwrite } from '../support/disk.ts'
import {
  crash,
  expectEachOnce,
  healthOf,
  MANY_ROWS,
  refusedStart,
  runCommand,
  sendBatch,
} from '../support/service-faults.ts'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { checkpoint, leavesOf, openSqlite, withSqlite } from '../support/sqlite.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAGE_BYTES = 4096
const PERSONS = 400

/** A folder with persons and events after a crash, with the metadata in its file or, since the last checkpoint, in its log. */
const crashedFolder = async (rowsIn: 'log' | 'file') => {
  const folder = tempFolder()
  const metadata = join(folder, 'metadata.sqlite')
  const service = await startService(folder, { args: MANY_ROWS })
  const keys = keysIn(service.output())
  const { uuids } = await sendBatch(
    service.url,
    keys.apiKey,
    Array.from({ length: PERSONS }, (_, n) => ({
      event: '$identify',
      distinct_id: `user-${n}`,
      properties: { $set: { n, text: 'x'.repeat(300) } },
    })),
  )
  await caughtUp(service.url)
  await crash(service)
  if (rowsIn === 'file') checkpoint(metadata)
  return { folder, metadata, ...keys, uuids }
}

const countOf = (metadata: string, table: string): number =>
  withSqlite(metadata, (db) => Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()))

test('refuses to start on a damaged page of the metadata, and salvages every row outside of it', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await crashedFolder('file')
  const pages = leavesOf(metadata, 'persons')
  for (const at of [3, 6]) overwrite(metadata, (pages[at]! - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  const refusal = await refusedStart(folder)
  expect(refusal).toContain(`The metadata ${metadata} is damaged: `)
  expect(refusal).toContain('Restore your backup of it, or, without one: Run "waymark-service salvage')

  const { status, output } = runCommand(folder, 'salvage')
  expect({ status, output }).toMatchObject({ status: 0 })
  expect(output).toMatch(/^ {2}persons: \d+ rows; others could not be read$/m)
  expect(output).toMatch(/^ {2}projects: 1 rows$/m)
  expect(output).toMatch(new RegExp(`^ {2}person_distinct_ids: ${PERSONS} rows$`, 'm'))
  // Two pages of about ten rows each.
  expect(countOf(metadata, 'persons')).toBeGreaterThan(PERSONS - 30)

  const service = await startService(folder, { args: MANY_ROWS })
  // Of those, too, whose rows are lost.
  const late = await sendBatch(
    service.url,
    apiKey,
    Array.from({ length: PERSONS }, (_, n) => ({
      event: '$set',
      distinct_id: `user-${n}`,
      properties: { $set: { n } },
    })),
  )
  await expectEachOnce(service.url, personalApiKey, [...uuids, ...late.uuids])
  expect(countOf(metadata, 'persons')).toBe(PERSONS)
  expect(await queryRows(service.url, personalApiKey, 'select count(*) from persons')).toEqual([[PERSONS]])
})

test('refuses to start on a log of the metadata that is damaged, and salvages what it holds', async () => {
  const { folder, metadata, personalApiKey, uuids } = await crashedFolder('log')
  overwrite(`${metadata}-wal`, 32 + 10 * (PAGE_BYTES + 24) + 30, randomBytes(100))
  expect(await refusedStart(folder)).toContain(`write-ahead log (${metadata}-wal) is damaged after frame 10`)
  expect(runCommand(folder, 'salvage').status).toBe(0)
  expect(countOf(metadata, 'persons')).toBe(PERSONS)
  const service = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(service.url, personalApiKey, uuids)
})

test('asks for the backup when the head of the metadata is damaged, and goes on with it', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await crashedFolder('file')
  const backup = join(folder, 'backup.sqlite')
  cpSync(metadata, backup)
  overwrite(metadata, 0, randomBytes(PAGE_BYTES))
  expect(await refusedStart(folder)).toContain(`The metadata ${metadata} is damaged: `)
  const { status, output } = runCommand(folder, 'salvage')
  expect(status).toBe(1)
  expect(output).toContain(`Nothing of the metadata ${metadata} can be read`)
  expect(output).toContain('put your backup of it in its place')
  for (const end of ['-wal', '-shm']) rmSync(`${metadata}${end}`, { force: true })
  renameSync(backup, metadata)
  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late', distinct_id: 'user-1' }])
  await expectEachOnce(service.url, personalApiKey, [...uuids, ...late.uuids])
  expect(await queryRows(service.url, personalApiKey, 'select count(distinct person_id) from events')).toEqual([
    [PERSONS],
  ])
})

test('says that a backup of the metadata that was put back is older, and tells queries and flags the same people', async () => {
  const { folder, metadata, apiKey, personalApiKey, uuids } = await crashedFolder('file')
  const backup = join(folder, 'backup.sqlite')
  cpSync(metadata, backup)
  const early = await startService(folder, { args: MANY_ROWS })
  const merge = { event: '$create_alias', distinct_id: 'guest-1', properties: { alias: 'user-1', $set: { n: 'new' } } }
  const merged = await sendBatch(early.url, apiKey, [{ event: '$set', distinct_id: 'guest-1' }, merge])
  await caughtUp(early.url)
  await crash(early)
  for (const end of ['-wal', '-shm']) rmSync(`${metadata}${end}`, { force: true })
  renameSync(backup, metadata)

  const service = await startService(folder, { args: MANY_ROWS })
  const late = await sendBatch(service.url, apiKey, [{ event: 'late', distinct_id: 'user-2' }])
  await expectEachOnce(service.url, personalApiKey, [...uuids, ...merged.uuids, ...late.uuids])
  await until(service.output, (told) => told.includes('The metadata is older than the store of project 1'))
  expect(
    await queryRows(
      service.url,
      personalApiKey,
      "select count(*), count(*) filter (properties->>'n' = 'new'), (select count(*) from person_distinct_ids) from persons",
    ),
  ).toEqual([[PERSONS, 0, PERSONS]])
})

test('answers 503 with a reason when the metadata is damaged while the service runs', async () => {
  const { folder, metadata, apiKey, personalApiKey } = await crashedFolder('file')
  const service = await startService(folder, { args: MANY_ROWS })
  expect((await healthOf(service.url)).status).toBe(200)
  checkpoint(metadata)
  for (const table of ['persons', 'personal_api_keys', 'person_distinct_ids'])
    for (const page of leavesOf(metadata, table)) overwrite(metadata, (page - 1) * PAGE_BYTES, randomBytes(PAGE_BYTES))
  // A change by another process makes the service read its pages anew.
  withSqlite(metadata, (db) => db.exec('UPDATE inbox_mark SET highest_row = highest_row'))
  const answer = await fetch(`${service.url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: 'select 1' }),
  })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(await answer.json()).toMatchObject({ type: 'server_error', code: 'metadata_damaged' })
  // Events need the projects alone, and wait.
  expect((await sendBatch(service.url, apiKey, [{ event: '$identify', distinct_id: 'user-1' }])).status).toBe(200)
  await crash(service)
})

test('refuses to start while another process holds the metadata, and says which it may be', async () => {
  const { folder, metadata, personalApiKey, uuids } = await crashedFolder('file')
  const holder = openSqlite(metadata)
  holder.exec('BEGIN IMMEDIATE')
  const refusal = await refusedStart(folder)
  holder.close()
  expect(refusal).toContain(`The metadata ${metadata} is held by another process`)
  expect(refusal).toContain('end it (its command line has "indexer.js"), then start again')

  const service = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(service.url, personalApiKey, uuids)
})
