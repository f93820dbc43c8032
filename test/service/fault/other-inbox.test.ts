import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyFolder } from '../support/copied-folder.ts'
import {
  crash,
  expectStoredOnce,
  MANY_ROWS_ARGS,
  sendBatch,
  sendWhileIndexerStopped,
} from '../support/service-faults.ts'
import { waitForIndexer, parseKeys, queryRows, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const SUFFIXES = ['', '-wal', '-shm']
const BACKED_UP = ['inbox.sqlite', 'metadata.sqlite']

test('stores new events after the inbox file was lost and its ids restart', async () => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(first.url, apiKey, [{ event: 'before' }])).uuids)
  await waitForIndexer(first.url)
  expect(await first.end('SIGTERM')).toBe(0)
  for (const suffix of SUFFIXES) rmSync(`${inbox}${suffix}`, { force: true })
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  const after = await sendBatch(restarted.url, apiKey, [{ event: 'after' }])
  await expectStoredOnce(restarted.url, personalApiKey, [...stored, ...after.uuids])
})

test('stores new events after an older inbox file with stored rows was restored', async () => {
  const folder = createTempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const waiting = (await sendWhileIndexerStopped(first, apiKey, 10)).flat()
  await crash(first)
  for (const suffix of SUFFIXES) cpSync(`${inbox}${suffix}`, join(folder, `old${suffix}`))
  const second = await startService(folder, { args: MANY_ROWS_ARGS })
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(second.url, apiKey, [{ event: 'since' }])).uuids)
  await expectStoredOnce(second.url, personalApiKey, [...waiting, ...stored])
  expect(await second.end('SIGTERM')).toBe(0)
  for (const suffix of SUFFIXES) cpSync(join(folder, `old${suffix}`), `${inbox}${suffix}`)
  const third = await startService(folder, { args: MANY_ROWS_ARGS })
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(third.url, apiKey, [{ event: 'after' }])).uuids)
  await expectStoredOnce(third.url, personalApiKey, [...waiting, ...stored])
})

/** Copies a folder of three runs, with a backup of its files after the first run in the folder `backup`. */
const copyFolderWithBackup = copyFolder(async (folder) => {
  const stored: string[] = []
  let keys = { apiKey: '', personalApiKey: '' }
  for (let run = 0; run < 3; run++) {
    const service = await startService(folder, { args: MANY_ROWS_ARGS })
    if (run === 0) keys = parseKeys(service.output())
    for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, keys.apiKey, [{ event: 'before' }])).uuids)
    await waitForIndexer(service.url)
    expect(await service.end('SIGTERM')).toBe(0)
    if (run === 0) for (const file of BACKED_UP) cpSync(join(folder, file), join(folder, 'backup', file))
  }
  return { ...keys, stored }
})

/** Returns a folder whose listed files are restored from a backup that is two runs older than the stores. */
const createRestoredFolder = async (restoredFiles: readonly string[]) => {
  const { folder, stored, ...keys } = await copyFolderWithBackup()
  for (const file of BACKED_UP) for (const suffix of SUFFIXES) rmSync(join(folder, `${file}${suffix}`), { force: true })
  for (const file of restoredFiles) cpSync(join(folder, 'backup', file), join(folder, file))
  return { folder, stored: [...stored], ...keys }
}

test.each([[['metadata.sqlite']], [['metadata.sqlite', 'inbox.sqlite']]])(
  'stores new events after only %j was restored beside newer stores',
  async (restoredFiles) => {
    const { folder, stored, apiKey, personalApiKey } = await createRestoredFolder(restoredFiles)
    const service = await startService(folder, { args: MANY_ROWS_ARGS })
    for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, apiKey, [{ event: 'after' }])).uuids)
    await expectStoredOnce(service.url, personalApiKey, stored)
  },
)

test('stores waiting events and warns when a store is newer than all other files', async () => {
  const { folder, stored, apiKey, personalApiKey } = await createRestoredFolder(['metadata.sqlite'])
  rmSync(join(folder, 'events', 'inbox-mark'))
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const first = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'without a uuid', distinct_id: 'u' }),
  })
  expect(first.status).toBe(200)
  for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, apiKey, [{ event: 'after' }])).uuids)
  await expectStoredOnce(service.url, personalApiKey, stored)
  expect(service.output()).toContain('which this inbox never assigned')
  expect(
    await queryRows(service.url, personalApiKey, "select count(*) from events where event = 'without a uuid'"),
  ).toEqual([[1]])
  await crash(service)
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  stored.push(...(await sendBatch(restarted.url, apiKey, [{ event: 'later' }])).uuids)
  await expectStoredOnce(restarted.url, personalApiKey, stored)
})
